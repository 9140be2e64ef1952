import {expect} from '@open-wc/testing';
import {emailSlip} from '../../form/email-suggestion.ts';

const slips: readonly (readonly [typed: string, meant: string])[] = [
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

/** Real, or nothing to guess from. */
const right = [
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

describe('emailSlip', () => {
  for (const [typed, meant] of slips) {
    it(`takes ${JSON.stringify(typed)} for ${meant}`, () => {
      expect(emailSlip(typed)).to.equal(meant);
      expect(emailSlip(meant), 'once mended').to.equal(undefined);
    });
  }
  for (const typed of [...right, '', 'ana', 'ana@', '@gmial.com', 'ana@gmail']) {
    it(`leaves ${JSON.stringify(typed)} alone`, () => expect(emailSlip(typed)).to.equal(undefined));
  }
});
