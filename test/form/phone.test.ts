import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import metadata from 'libphonenumber-js/min/metadata';
import {toE164} from '../../contract/phone.ts';
import {readFields} from '../../form/read-fields.ts';
import {tidy} from '../../form/tidy.ts';
import {leadSchema} from '../../server/leads/lead-schema.ts';
import {standardBody} from '../support/sample-leads.ts';

/** What the form sends, or the error that it shows. */
function sentByForm(typed: string) {
  const {lead, errors} = readFields(['phone'], {phone: typed});
  return lead['phone'] ?? errors.phone;
}

/** What the server stores, or `refused`. */
function storedByServer(sent: unknown) {
  const result = leadSchema.safeParse({...standardBody, phone: sent});
  return result.success ? result.data.phone.e164 : 'refused';
}

const california = '+14155550132';
const berlin = '+4930901820';
const london = '+442079460018';
const madrid = '+34612345678';

/** `api`: what the server makes of the same text from a caller of `/json/leads`, who sends it as it stands. */
type Row = readonly [typed: string, sent: string, stored: string, api: 'taken' | 'refused'];

const numbers: readonly Row[] = [
  // as visitors in the United States type them
  ['4155550132', '(415) 555-0132', california, 'taken'],
  ['415-555-0132', '(415) 555-0132', california, 'taken'],
  ['(415) 555-0132', '(415) 555-0132', california, 'taken'],
  ['(415)555-0132', '(415) 555-0132', california, 'taken'],
  ['415.555.0132', '(415) 555-0132', california, 'taken'],
  ['415 555 0132', '(415) 555-0132', california, 'taken'],
  ['415/555-0132', '(415) 555-0132', california, 'taken'],
  [' 415-555-0132 ', '(415) 555-0132', california, 'taken'],
  ['14155550132', '(415) 555-0132', california, 'taken'],
  ['1-415-555-0132', '(415) 555-0132', california, 'taken'],
  ['1 (415) 555-0132', '(415) 555-0132', california, 'taken'],
  ['+14155550132', '(415) 555-0132', california, 'taken'],
  ['+1 (415) 555-0132', '(415) 555-0132', california, 'taken'],
  ['(+1) 415-555-0132', '(415) 555-0132', california, 'taken'],
  ['001 415 555 0132', '(415) 555-0132', california, 'refused'],
  ['787-555-0132', '(787) 555-0132', '+17875550132', 'taken'],
  // with an extension
  ['415-555-0132 x12', '(415) 555-0132 x12', california, 'taken'],
  ['415-555-0132, ext. 12', '(415) 555-0132, ext. 12', california, 'taken'],
  ['415-555-0132 extension 12', '(415) 555-0132 extension 12', california, 'taken'],
  ['415-555-0132 extensión 12', '(415) 555-0132 extensión 12', california, 'taken'],
  ['415-555-0132 #12', '(415) 555-0132 #12', california, 'taken'],
  // pasted from documents, chats, cards and links
  ['415‑555‑0132', '(415) 555-0132', california, 'refused'],
  ['(415)\u00a0555‑0132', '(415) 555-0132', california, 'refused'],
  ['415–555–0132', '(415) 555-0132', california, 'refused'],
  ['415—555—0132', '(415) 555-0132', california, 'refused'],
  ['415−555−0132', '(415) 555-0132', california, 'refused'],
  ['415﹘555－0132', '(415) 555-0132', california, 'refused'],
  ['415\u00a0555\u202f0132', '(415) 555-0132', california, 'taken'],
  ['\u202a+1 415-555-0132\u202c', '(415) 555-0132', california, 'refused'],
  ['415\u200b-555\u00ad-0132', '(415) 555-0132', california, 'refused'],
  ['415·555·0132', '(415) 555-0132', california, 'taken'],
  ['415 • 555 • 0132', '(415) 555-0132', california, 'taken'],
  ['tel:+1-415-555-0132', '(415) 555-0132', california, 'refused'],
  ['tel:+1-415-555-0132;ext=12', '(415) 555-0132;ext=12', california, 'refused'],
  ['Tel.: (415) 555-0132', '(415) 555-0132', california, 'refused'],
  ['Teléfono: 415 555 0132', '(415) 555-0132', california, 'refused'],
  // from other keyboards
  ['＋１（４１５）５５５－０１３２', '(415) 555-0132', california, 'refused'],
  ['٤١٥٥٥٥٠١٣٢', '(415) 555-0132', california, 'refused'],
  ['۴۱۵ ۵۵۵ ۰۱۳۲', '(415) 555-0132', california, 'refused'],
  // of other countries
  ['+44 20 7946 0018', '+44 20 7946 0018', london, 'taken'],
  ['+44 (0)20 7946 0018', '+44 (0)20 7946 0018', london, 'taken'],
  ['(+44) 20 7946 0018', '+(44) 20 7946 0018', london, 'taken'],
  ['0044 20 7946 0018', '+44 20 7946 0018', london, 'refused'],
  ['011 44 20 7946 0018', '+44 20 7946 0018', london, 'taken'],
  ['0049 30 901820', '+49 30 901820', berlin, 'refused'],
  ['+49 30/901820', '+49 30/901820', berlin, 'taken'],
  ['+34 612 345 678', '+34 612 345 678', madrid, 'taken'],
  ['+34612345678', '+34612345678', madrid, 'taken'],
  ['+52 55 5080 2000', '+52 55 5080 2000', '+525550802000', 'taken'],
  ['+376 312345', '+376 312345', '+376312345', 'taken'],
  // which libphonenumber does not know, but which may exist tomorrow
  ['+44 5999 123456', '+44 5999 123456', '+445999123456', 'taken'],
  ['+997 7001234567', '+997 7001234567', '+9977001234567', 'taken'],
];

const mistakes: readonly (readonly [typed: string, error: string])[] = [
  // a digit is missing, or there is one too many
  ['415-555-013', 'invalid'],
  ['555-0132', 'invalid'],
  ['415-555-01322', 'invalid'],
  ['24155550132', 'invalid'],
  ['+1 415 555 013', 'invalid'],
  ['+1 415 555 01322', 'invalid'],
  ['+44 1', 'invalid'],
  ['+44 20 7946 0018 0018 0018', 'invalid'],
  // no area code begins with 0 or 1
  ['000-000-0000', 'invalid'],
  ['123-456-7890', 'invalid'],
  ['0155550132', 'invalid'],
  ['+1 015 555 0132', 'invalid'],
  // no country code
  ['44 20 7946 0018', 'invalid'],
  ['020 7946 0018', 'invalid'],
  ['+999 123 456 789', 'invalid'],
  ['+0 415 555 0132', 'invalid'],
  // no number, or more than one
  ['415-555-0132 / 415-555-0133', 'invalid'],
  ['415-555-0132; 415-555-0133', 'invalid'],
  ['415-555-FOUR', 'invalid'],
  ['call me', 'invalid'],
  ['+', 'invalid'],
  ['x12', 'invalid'],
  ['1'.repeat(41), 'invalid'],
  ['', 'required'],
  ['\u202c', 'invalid'],
  ['tel:', 'invalid'],
];

suite('telephone numbers', () => {
  for (const [typed, sent, stored, api] of numbers) {
    test(`the form sends ${JSON.stringify(typed)} as ${sent}, and the server stores ${stored}`, () => {
      assert.equal(sentByForm(typed), sent);
      assert.equal(storedByServer(sent), stored);
      assert.equal(storedByServer(typed), api === 'taken' ? stored : 'refused');
    });

    test(`what the form shows for ${JSON.stringify(typed)} is the same number`, () => {
      const shown = tidy('phone', typed, 'en-US');
      assert.equal(storedByServer(sentByForm(shown)), stored);
      assert.equal(tidy('phone', shown, 'en-US'), shown);
    });
  }

  test('the form asks about an extension that makes the number longer than the server takes', () => {
    assert.equal(sentByForm(`415-555-0132 x${'1'.repeat(30)}`), 'too_long');
  });

  for (const [typed, error] of mistakes) {
    test(`the form asks about ${JSON.stringify(typed)}: ${error}`, () => {
      assert.equal(sentByForm(typed), error);
      assert.equal(storedByServer(typed), 'refused');
      assert.equal(tidy('phone', typed, 'en-US'), typed);
    });
  }
});

suite('toE164', () => {
  test('toE164 knows every country code that libphonenumber knows', () => {
    const codes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)];
    assert.ok(codes.length > 200);
    const unknown = codes.filter((code) => code !== '1' && toE164(`+${code}20123456`) === undefined);
    assert.deepEqual(unknown, []);
  });

  test('toE164 refuses numbers whose country code no country has', () => {
    for (const code of ['0', '28', '283', '83', '837', '89', '899', '999']) {
      assert.equal(toE164(`+${code}20123456`), undefined);
    }
  });
});
