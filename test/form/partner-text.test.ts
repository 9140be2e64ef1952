/** The placeholders in a partner's words about what happens next. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {
  misplacedName,
  splitAtPlaceholders,
  unknownPlaceholder,
  withoutName,
} from '../../form/words/partner-text.ts';

suite('a text of the partner for a visitor whose name is not known', () => {
  const rows: [text: string, shown: string][] = [
    ['We call you.', 'We call you.'],
    ['{first_name}, we call you.', 'We call you.'],
    ['{first_name}: we call you.', 'We call you.'],
    ['{first_name} – we call you.', 'We call you.'],
    ['Thank you, {first_name}!', 'Thank you!'],
    ['Thank you, {first_name}. We call you.', 'Thank you. We call you.'],
    ['Thanks, {first_name}, we call you.', 'Thanks, we call you.'],
    ['Hi {first_name}, we call you.', 'Hi, we call you.'],
    ['Thank you. {first_name}, we call {phone}.', 'Thank you. We call {phone}.'],
    ['¡{first_name}, le llamamos!', '¡Le llamamos!'],
    ['¡Gracias, {first_name}! Le llamamos.', '¡Gracias! Le llamamos.'],
    ['{first_name}, ésta es su referencia: {reference}.', 'Ésta es su referencia: {reference}.'],
    ['{first_name}', ''],
  ];
  for (const [text, shown] of rows) {
    test(`"${text}" is "${shown}"`, () => assert.equal(withoutName(text), shown));
  }
});

suite('the check of a text of the partner', () => {
  test('finds a name without which the sentence may not read well', () => {
    const well = ['We call.', '{first_name}, we call.', 'Hi {first_name}! We call.', 'Thanks, {first_name}.'];
    assert.deepEqual(well.filter(misplacedName), []);
    const badly = ['We call {first_name} today.', '{first_name} gets a call.', 'Ask for {first_name}.'];
    assert.deepEqual(badly.filter(misplacedName), badly);
  });
  test('finds a placeholder that nobody knows', () => {
    assert.equal(unknownPlaceholder('{phone} {reference} {first_name}'), undefined);
    assert.equal(unknownPlaceholder('{phone} {firstname}'), '{firstname}');
    assert.equal(unknownPlaceholder('{toString}'), '{toString}');
  });
  test('splits it at placeholders alone', () => {
    assert.deepEqual(splitAtPlaceholders('a {phone} {b} {first_name}'), [
      'a ',
      'phone',
      ' {b} ',
      'first_name',
      '',
    ]);
  });
});
