import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {emailSuggestion} from '../../form/email-suggestion.ts';
import {readEmail} from '../../form/email.ts';

/** What may stand behind "ana@", by the domain that is meant. */
const domains: readonly (readonly [meant: string, typed: string])[] = [
  ['gmail.com', 'gmial.com gamil.com gmai.com gmaill.com gnail.com gmail.con gmail.cmo gmail.co'],
  ['gmail.com', 'gmail.cm gmail.comm gmial.con gmail.c gmail. gmail gmail.om gmail.m gmail.cim'],
  ['gmail.com', 'gmail.c0m gmail.net gmail.org gmail.es gmail.mx gmail.com.mx gmailcom gmail,com'],
  ['gmail.com', 'gmail.com.com gmial gmial.co GMAIL'],
  ['yahoo.com', 'yahooo.com yaho.com yahoo yahoo.c yahoo.co yahoo.cm'],
  ['hotmail.com', 'hotmial.com hotmal.com hotmail hotmail.co'],
  ['outlook.com', 'outlok.com outlook.c outlook.co'],
  ['icloud.com', 'icluod.com icloud.co icloud.net'],
  ['comcast.net', 'comcast.ent'],
  // these companies have customers at .net, and only their employees at .com
  ['verizon.net', 'verizon.com verizon verizon.ne'],
  ['comcast.net', 'comcast.com comcast.co comcast.con'],
  ['sbcglobal.net', 'sbcglobal.com'],
  ['bellsouth.net', 'bellsouth.com'],
  ['aol.com', 'aol.co'],
  ['msn.com', 'msn.con'],
  ['live.com', 'live.om'],
  ['att.net', 'att.com'],
  // no country has a single letter
  ['acme.com', 'acme.c acme.con'],
  ['acme.org', 'acme.ogr'],
  // a key beside the right one at the beginning
  ['gmail.com', 'fmail.com hmail.con'],
  ['hotmail.com', 'jotmail.com'],
  ['yahoo.com', 'uahoo.com'],
  // what no domain has
  ['gmail.com', 'gmail.123 gmáil.com @gmail.com gmail.com@gmail.com GMail.com@gmail.com'],
  ['acme.org', '@acme.org'],
];

const typos: readonly (readonly [typed: string, meant: string])[] = [
  ...domains.flatMap(([meant, typed]) =>
    typed.split(' ').map((domain) => [`ana@${domain}`, `ana@${meant}`] as const),
  ),
  ['Ana.Silva+tag@GMIAL.com ', 'Ana.Silva+tag@gmail.com'],
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
