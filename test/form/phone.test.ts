import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import metadata from 'libphonenumber-js/min/metadata';
import {toE164} from '../../contract/phone.ts';
import {readFields} from '../../form/read-fields.ts';
import {tidy} from '../../form/tidy.ts';
import {namedBy} from '../../server/admin/persons.ts';
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

/** `api`: what the server makes of the same text from a caller of `/json/leads`, who sends it as it stands. Operators look for it so. */
type Row = readonly [typed: string, sent: string, stored: string, api: 'taken' | 'refused'];

/** Texts with `|` between them, which all are the same number. */
const american = [
  // as visitors in the United States type them
  '4155550132 | 415-555-0132 | (415) 555-0132 | (415)555-0132 | 415.555.0132 | 415 555 0132',
  '415/555-0132 | 14155550132 | 1-415-555-0132 | 1 (415) 555-0132 | +14155550132 | +1 (415) 555-0132',
  '(+1) 415-555-0132 | 001 415 555 0132 | 415-5550132 | 415555-0132 | 1415-555-0132 | 1-4155550132',
  '(1) 415 555 0132 | (415) - 555 - 0132',
  // whose country code says that they are American, however they are grouped
  '+1 41 5555 0132 | +1 415 55 50 132',
  // pasted from documents, chats, cards and links
  '415‑555‑0132 | 415–555–0132 | 415—555—0132 | 415−555−0132 | 415﹘555－0132 | 415·555·0132',
  '415 • 555 • 0132 | tel:+1-415-555-0132 | Tel.: (415) 555-0132 | Teléfono: 415 555 0132',
  // with words that say whose telephone it is
  '415-555-0132 (mobile) | (mobile) 415-555-0132 | 415-555-0132 cell | 415-555-0132 (c)',
  '415-555-0132 - cell | 415-555-0132, home | 4155550132cell | cell 415-555-0132 | Cell - 415-555-0132',
  'cell(415)555-0132 | c: 415-555-0132 | my cell 415 555 0132 | home phone: 415-555-0132',
  'Work (415) 555-0132 | móvil 415-555-0132 | Móvil: 415-555-0132 | 415-555-0132 (celular)',
  '415-555-0132 casa | trabajo 415-555-0132 | 415-555-0132 (trabajo). | WhatsApp +1 415 555 0132',
  '(415) 555-0132 (mobile phone)',
  // from other keyboards
  '＋１（４１５）５５５－０１３２ | ٤١٥٥٥٥٠١٣٢ | ۴۱۵ ۵۵۵ ۰۱۳۲',
].flatMap((texts) => texts.split(' | '));

const numbers: readonly Row[] = [
  ...american.map((typed) => [typed, '(415) 555-0132', california, 'taken'] as const),
  // of another area code
  ['787-555-0132', '(787) 555-0132', '+17875550132', 'taken'],
  // with an extension
  ['415-555-0132 x12', '(415) 555-0132 x12', california, 'taken'],
  ['415-555-0132, ext. 12', '(415) 555-0132, ext. 12', california, 'taken'],
  ['415-555-0132 extension 12', '(415) 555-0132 extension 12', california, 'taken'],
  ['415-555-0132 extensión 12', '(415) 555-0132 extensión 12', california, 'taken'],
  ['415-555-0132 #12', '(415) 555-0132 #12', california, 'taken'],
  ['415-555-0132 / #12', '(415) 555-0132 / #12', california, 'taken'],
  // pasted from documents, chats, cards and links
  ['415-555-0132,', '(415) 555-0132', california, 'taken'],
  ['☎️ 415-555-0132', '(415) 555-0132', california, 'taken'],
  ['☎️ Cell: 415-555-0132 📱', '(415) 555-0132', california, 'taken'],
  ['📱+52 55 5080 2000;', '+52 55 5080 2000', '+525550802000', 'taken'],
  ['00٥999415/#0', '+5999415/#0', '+5999415', 'taken'],
  ['tel:+1-415-555-0132;ext=12', '(415) 555-0132;ext=12', california, 'taken'],
  // with words that say whose telephone it is
  ['415-555-0132 x12 (work)', '(415) 555-0132 x12', california, 'taken'],
  ['cel. +52 55 5080 2000', '+52 55 5080 2000', '+525550802000', 'taken'],
  ['+52 55 5080 2000 (móvil)', '+52 55 5080 2000', '+525550802000', 'taken'],
  // of other countries
  ['+44 20 7946 0018', '+44 20 7946 0018', london, 'taken'],
  ['0044 20 7946 0018', '+44 20 7946 0018', london, 'taken'],
  ['011 44 20 7946 0018', '+44 20 7946 0018', london, 'taken'],
  ['+44 (0)20 7946 0018', '+44 (0)20 7946 0018', london, 'taken'],
  ['(+44) 20 7946 0018', '+(44) 20 7946 0018', london, 'taken'],
  ['0049 30 901820', '+49 30 901820', berlin, 'taken'],
  ['+49 30/901820', '+49 30/901820', berlin, 'taken'],
  ['+34 612 345 678', '+34 612 345 678', madrid, 'taken'],
  ['+34612345678', '+34612345678', madrid, 'taken'],
  ['+52 55 5080 2000', '+52 55 5080 2000', '+525550802000', 'taken'],
  ['+376 312345', '+376 312345', '+376312345', 'taken'],
  // which libphonenumber does not know, but which may exist tomorrow
  ['+44 5999 123456', '+44 5999 123456', '+445999123456', 'taken'],
  ['+997 7001234567', '+997 7001234567', '+9977001234567', 'taken'],
  // with spaces and signs that are not seen
  [' 415-555-0132 ', '(415) 555-0132', california, 'taken'],
  ['415\t555\u20280132', '(415) 555-0132', california, 'refused'],
  ['+49\t30\u2029901820', '+49 30 901820', berlin, 'refused'],
  ['(415)\u00a0555‑0132', '(415) 555-0132', california, 'taken'],
  ['415\u00a0555\u202f0132', '(415) 555-0132', california, 'taken'],
  ['\u202a+1 415-555-0132\u202c', '(415) 555-0132', california, 'taken'],
  ['415\u200b-555\u00ad-0132', '(415) 555-0132', california, 'taken'],
];

const mistakes = [
  // a digit is missing, or there is one too many
  '415-555-013 | 555-0132 | 415-555-01322 | +1 415 555 013 | +1 415 555 01322 | +44 1',
  '+44 20 7946 0018 0018 0018',
  // no area code begins with 0 or 1
  '000-000-0000 | 123-456-7890 | 0155550132 | +1 015 555 0132',
  // no country code
  '020 7946 0018 | +999 123 456 789 | +0 415 555 0132',
  // no number, or more than one
  '415-555-0132 / 415-555-0133 | 415-555-0132; 415-555-0133 | 415-555-FOUR | call me | cell',
  '415-555-0132 or 415-555-0133 | o415-555-0132 | 415-555-013o | 4155550132o | + | x12 | tel:',
  '1'.repeat(41),
].flatMap((texts) => texts.split(' | '));

/** What the form asks about, although the server takes it from callers. */
const doubtful = [
  // 55 is Mexico City. None of these is grouped as in the United States, so each may be of another country.
  '55 1234 5678 | (55) 1234-5678 | 55-1234-5678 | 55 12 34 56 78 | 55 123 45 67 8 | 41 555 50 132',
  '4155 550 132 | 41555 50132 | 415 55 50132 | 415 555 01 32 | 4 1 5 5 5 5 0 1 3 2 | 1 55 1234 5678',
  '55 1234 5678 cel | 55 1234 5678 ext. 12',
  // no exchange begins with 0 or 1
  '212-055-1234 | 212-155-1234 | 2120551234 | 1 212 055 1234 | +1 212 055 1234 | +12121551234',
].flatMap((texts) => texts.split(' | '));

/** Numbers with a country code and without its plus, as callers may not send them either. */
const withoutPlus = [
  '52 55 1234 5678',
  '525512345678',
  '52 (55) 1234-5678',
  'cel: 52 55 1234 5678',
  '44 20 7946 0018',
  '34 612 345 678',
  '502 5555 0132',
  // or one digit too many
  '24155550132',
];

suite('telephone numbers', () => {
  for (const [typed, sent, stored, api] of numbers) {
    test(`the form sends ${JSON.stringify(typed)} as ${sent}, and the server stores ${stored}`, () => {
      assert.equal(sentByForm(typed), sent);
      assert.equal(storedByServer(sent), stored);
      assert.equal(storedByServer(typed), api === 'taken' ? stored : 'refused');
      assert.deepEqual(namedBy(typed), {phone: stored});
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

  for (const [typed, error] of [
    ['', 'required'],
    ['\u202c', 'required'],
    ...mistakes.map((typed) => [typed, 'invalid']),
  ] as const) {
    test(`the form asks about ${JSON.stringify(typed)}: ${error}`, () => {
      assert.equal(sentByForm(typed), error);
      assert.equal(storedByServer(typed), 'refused');
      assert.equal(namedBy(typed), typed);
      assert.equal(tidy('phone', typed, 'en-US'), typed);
    });
  }
});

suite('telephone numbers that may be foreign', () => {
  for (const typed of doubtful) {
    test(`the form asks about ${JSON.stringify(typed)}: invalid`, () => {
      assert.equal(sentByForm(typed), 'invalid');
      assert.equal(tidy('phone', typed, 'en-US'), typed);
    });
  }

  for (const typed of withoutPlus) {
    test(`the form asks for the plus of ${JSON.stringify(typed)}`, () => {
      assert.equal(sentByForm(typed), 'no_plus');
      assert.equal(tidy('phone', typed, 'en-US'), typed);
    });
  }

  test('the rule for callers of the API is as wide as before', () => {
    assert.equal(storedByServer('55 1234 5678'), '+15512345678');
    assert.equal(storedByServer('212-055-1234'), '+12120551234');
  });
});

suite('toE164', () => {
  test('knows every country code that libphonenumber knows', () => {
    const codes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)];
    assert.ok(codes.length > 200);
    const unknown = codes.filter((code) => code !== '1' && toE164(`+${code}20123456`) === undefined);
    assert.deepEqual(unknown, []);
  });

  test('refuses numbers whose country code no country has', () => {
    for (const code of ['0', '28', '283', '83', '837', '89', '899', '999']) {
      assert.equal(toE164(`+${code}20123456`), undefined);
    }
  });
});
