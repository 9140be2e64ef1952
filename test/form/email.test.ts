import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {readFields} from '../../form/read-fields.ts';
import {namedBy} from '../../server/admin/persons.ts';

/** What the form sends, or the error that it shows. */
function sentByForm(typed: string) {
  const {lead, errors} = readFields(['email'], {email: typed});
  return lead['email'] ?? errors.email;
}

const accepted = [
  'maria@example.com',
  'M.Ortiz+house@Mail.Example.COM',
  "o'brien@example.museum",
  'maria_ortiz-2@example.co',
  "a!#$%&'*+/=?^_`|~-@b.co",
  'a@b.co',
  '1@2.example',
  'josé@example.com',
  'maria@müller.example',
  'maria@xn--mller-kva.example',
  'maria@my--shop.example',
  'उपयोगकर्ता@उदाहरण.भारत',
  '用户@例子.广告',
];

const cleaned: readonly (readonly [typed: string, sent: string])[] = [
  [' maria@gmail.com ', 'maria@gmail.com'],
  ['Maria <maria@gmail.com>', 'maria@gmail.com'],
  ['"Ortiz, Maria" <maria@gmail.com>', 'maria@gmail.com'],
  ['<maria@gmail.com>', 'maria@gmail.com'],
  ['Maria <maria@gmail.com>,', 'maria@gmail.com'],
  ['mailto:maria@gmail.com', 'maria@gmail.com'],
  ['Maria <mailto:maria@gmail.com>', 'maria@gmail.com'],
  // an iPhone writes a full stop for two spaces
  ['maria@gmail.com. ', 'maria@gmail.com'],
  ['maria@gmail.com;', 'maria@gmail.com'],
  [`'maria@gmail.com'`, 'maria@gmail.com'],
  ['“maria@gmail.com”,', 'maria@gmail.com'],
  ['maria＠gmail．com', 'maria@gmail.com'],
  ['maria@gmail.com\u200b', 'maria@gmail.com'],
  ['\u202amaria@gmail.com\u202c', 'maria@gmail.com'],
  ['maria@my‑shop.com', 'maria@my-shop.com'],
  // the keyboard of a phone writes a space after a suggested word
  ['maria @gmail.com', 'maria@gmail.com'],
  ['maria @ gmail.com ', 'maria@gmail.com'],
];

const mistakes = [
  '<> | maria | maria@ | @example.com | maria@example | maria@example..com | maria@.example.com',
  'maria@-example.com | maria@example-.com | maria@exa_mple.com | maria@example.com/ | maria@example.123',
  '.maria@example.com | maria.@example.com | maria..ortiz@example.com | maria ortiz@example.com',
  'maria@exa mple.com | maria@ortiz@example.com | maria@@example.com | maria@example.com@example.com',
  'maria@192.0.2.1 | maria@[192.0.2.1] | Maria maria @example.com | Maria maria@example.com',
  'maria@example.com, juan@example.com | maria@example.com (work) | (maria@example.com',
  'maria@<example>.com | maria,ortiz@example.com | "maria"@example.com',
].flatMap((texts) => texts.split(' | '));

suite('e-mail addresses', () => {
  for (const address of accepted) {
    test(`the form sends ${address} as it is`, () => assert.equal(sentByForm(address), address));
  }

  for (const [typed, sent] of cleaned) {
    test(`the form sends ${JSON.stringify(typed)} as ${sent}, and operators find it so`, () => {
      assert.equal(sentByForm(typed), sent);
      assert.partialDeepStrictEqual(namedBy(typed), {email: sent});
    });
  }

  for (const [typed, error] of [
    ['', 'required'],
    ['\u200b', 'required'],
    ...mistakes.map((typed) => [typed, 'invalid']),
  ] as const) {
    test(`the form asks about ${JSON.stringify(typed)}: ${error}`, () => {
      assert.equal(sentByForm(typed), error);
    });
  }
});
