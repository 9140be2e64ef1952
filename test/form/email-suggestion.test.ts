import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {emailSuggestion} from '../../form/email-suggestion.ts';

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
  ['ana@acme.con', 'ana@acme.com'],
  ['ana@acme.ogr', 'ana@acme.org'],
  ['Ana.Silva+tag@GMIAL.com ', 'Ana.Silva+tag@gmail.com'],
  ['"a@b"@gmial.com', '"a@b"@gmail.com'],
];

/** Domains without a suggestion: some are real, and the others differ too much from the common ones. */
const withoutSuggestion = [
  'gmail.com',
  'GMail.com',
  'mail.com',
  'email.com',
  'ymail.com',
  'gmx.com',
  'gmx.net',
  'me.com',
  'mac.com',
  'msn.com',
  'aol.com',
  'aon.com',
  'live.com',
  'fastmail.com',
  'rocketmail.com',
  'googlemail.com',
  'hotmail.co.uk',
  'hotmail.fr',
  'yahoo.co.uk',
  'yahoo.com.mx',
  'yahoo.ca',
  'outlook.es',
  'proton.me',
  'protonmail.ch',
  'comcast.com',
  'acme.co',
  'acme.cm',
  'acme.om',
  'acme.bet',
  'mail.google.com',
  'correo.ñandú.es',
].map((domain) => `ana@${domain}`);

suite('emailSuggestion', () => {
  for (const [typed, meant] of typos) {
    test(`emailSuggestion suggests ${meant} for ${JSON.stringify(typed)}, and nothing for ${meant}`, () => {
      assert.equal(emailSuggestion(typed), meant);
      assert.equal(emailSuggestion(meant), undefined);
    });
  }

  for (const typed of [...withoutSuggestion, '', 'ana', 'ana@', '@gmial.com', 'ana@gmail']) {
    test(`emailSuggestion suggests nothing for ${JSON.stringify(typed)}`, () => {
      assert.equal(emailSuggestion(typed), undefined);
    });
  }
});
