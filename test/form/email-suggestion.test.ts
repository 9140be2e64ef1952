import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {emailSuggestion} from '../../form/email-suggestion.ts';
import {readEmail} from '../../form/email.ts';

const typos: readonly (readonly [typed: string, meant: string])[] = [
  ['ana@gmial.com', 'ana@gmail.com'],
  ['ana@gamil.com', 'ana@gmail.com'],
  ['ana@gmai.com', 'ana@gmail.com'],
  ['ana@gmaill.com', 'ana@gmail.com'],
  ['ana@gnail.com', 'ana@gmail.com'],
  ['ana@gmail.con', 'ana@gmail.com'],
  ['ana@gmail.cmo', 'ana@gmail.com'],
  ['ana@gmail.co', 'ana@gmail.com'],
  ['ana@gmail.cm', 'ana@gmail.com'],
  ['ana@gmail.comm', 'ana@gmail.com'],
  ['ana@gmial.con', 'ana@gmail.com'],
  ['ana@yahooo.com', 'ana@yahoo.com'],
  ['ana@yaho.com', 'ana@yahoo.com'],
  ['ana@hotmial.com', 'ana@hotmail.com'],
  ['ana@hotmal.com', 'ana@hotmail.com'],
  ['ana@outlok.com', 'ana@outlook.com'],
  ['ana@icluod.com', 'ana@icloud.com'],
  ['ana@comcast.ent', 'ana@comcast.net'],
  ['ana@gmail.c', 'ana@gmail.com'],
  ['ana@gmail.', 'ana@gmail.com'],
  ['ana@gmail', 'ana@gmail.com'],
  ['ana@gmail.om', 'ana@gmail.com'],
  ['ana@gmail.m', 'ana@gmail.com'],
  ['ana@gmail.cim', 'ana@gmail.com'],
  ['ana@gmail.c0m', 'ana@gmail.com'],
  ['ana@gmail.net', 'ana@gmail.com'],
  ['ana@gmail.org', 'ana@gmail.com'],
  ['ana@gmail.es', 'ana@gmail.com'],
  ['ana@gmail.mx', 'ana@gmail.com'],
  ['ana@gmail.com.mx', 'ana@gmail.com'],
  ['ana@gmailcom', 'ana@gmail.com'],
  ['ana@gmail,com', 'ana@gmail.com'],
  ['ana@gmail.com.com', 'ana@gmail.com'],
  ['ana@gmial', 'ana@gmail.com'],
  ['ana@gmial.co', 'ana@gmail.com'],
  ['ana@GMAIL', 'ana@gmail.com'],
  ['ana@yahoo', 'ana@yahoo.com'],
  ['ana@yahoo.c', 'ana@yahoo.com'],
  ['ana@yahoo.co', 'ana@yahoo.com'],
  ['ana@yahoo.cm', 'ana@yahoo.com'],
  ['ana@hotmail', 'ana@hotmail.com'],
  ['ana@hotmail.co', 'ana@hotmail.com'],
  ['ana@outlook.c', 'ana@outlook.com'],
  ['ana@outlook.co', 'ana@outlook.com'],
  ['ana@icloud.co', 'ana@icloud.com'],
  ['ana@icloud.net', 'ana@icloud.com'],
  // these companies have customers at .net, and only their employees at .com
  ['ana@verizon.com', 'ana@verizon.net'],
  ['ana@comcast.com', 'ana@comcast.net'],
  ['ana@sbcglobal.com', 'ana@sbcglobal.net'],
  ['ana@bellsouth.com', 'ana@bellsouth.net'],
  ['ana@verizon', 'ana@verizon.net'],
  ['ana@comcast.co', 'ana@comcast.net'],
  ['ana@comcast.con', 'ana@comcast.net'],
  ['ana@verizon.ne', 'ana@verizon.net'],
  ['ana@aol.co', 'ana@aol.com'],
  ['ana@msn.con', 'ana@msn.com'],
  ['ana@live.om', 'ana@live.com'],
  ['ana@att.com', 'ana@att.net'],
  // no country has a single letter
  ['ana@acme.c', 'ana@acme.com'],
  ['ana@acme.con', 'ana@acme.com'],
  ['ana@acme.ogr', 'ana@acme.org'],
  ['Ana.Silva+tag@GMIAL.com ', 'Ana.Silva+tag@gmail.com'],
  // a key beside the right one at the beginning
  ['ana@fmail.com', 'ana@gmail.com'],
  ['ana@hmail.con', 'ana@gmail.com'],
  ['ana@jotmail.com', 'ana@hotmail.com'],
  ['ana@uahoo.com', 'ana@yahoo.com'],
  ['ana@gmail.123', 'ana@gmail.com'],
  ['ana@gmáil.com', 'ana@gmail.com'],
  ['ana@@gmail.com', 'ana@gmail.com'],
  ['ana@@acme.org', 'ana@acme.org'],
  ['ana@gmail.com@gmail.com', 'ana@gmail.com'],
  ['ana@GMail.com@gmail.com', 'ana@gmail.com'],
  ['Ana <ana@gmial.com>', 'ana@gmail.com'],
  // nobody has an accent in an address at the common domains
  ['josé@gmail.com', 'jose@gmail.com'],
  ['Iñaki.Núñez@hotmial.com', 'Inaki.Nunez@hotmail.com'],
];

/** Domains without a suggestion: some are real, and the others differ too much from the common ones. */
const withoutSuggestion = `
  gmail.com GMail.com mail.com email.com ymail.com gmx.com gmx.net me.com mac.com msn.com aol.com
  aon.com live.com fastmail.com rocketmail.com googlemail.com hotmail.co.uk hotmail.fr yahoo.co.uk
  yahoo.com.mx yahoo.ca outlook.es proton.me protonmail.ch yahoo.com.co yahoo.com.ar yahoo.co.in
  yahoo.es yahoo.cl yahoo.cn yahoo.de hotmail.com.mx hotmail.es hotmail.cl outlook.com.br outlook.cl
  outlook.cz outlook.co.th live.co.uk live.com.mx att.net cox.net email.co mail.co
  gmail.acme.com mail.verizon.com acme.co acme.cm acme.om acme.bet mail.google.com correo.ñandú.es
  posteo.de company.co dmail.ai 163.com
`
  .trim()
  .split(/\s+/)
  .map((domain) => `ana@${domain}`);

suite('emailSuggestion', () => {
  for (const [typed, meant] of typos) {
    test(`suggests ${meant} for ${JSON.stringify(typed)}, and nothing for ${meant}`, () => {
      assert.equal(emailSuggestion(typed), meant);
      assert.equal(readEmail(meant), meant);
      assert.equal(emailSuggestion(meant), undefined);
    });
  }

  for (const typed of [
    ...withoutSuggestion,
    '',
    'ana',
    'ana@',
    '@gmial.com',
    'ana@acme',
    'ana@mail',
    'ana@.com',
    'ana@c',
    'ana@acme.123',
    'josé@acme.com',
    'ñandú@dominio.es',
    'Ana Silva ana@gmial.com',
    '"a@b"@gmial.com',
    'ana@ruiz@gmail.com',
  ]) {
    test(`suggests nothing for ${JSON.stringify(typed)}`, () => {
      assert.equal(emailSuggestion(typed), undefined);
    });
  }
});
