import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import fc from '../support/properties.ts';
import {groupDigits} from '../../form/format-money.ts';
import {groupAsTyped, type Edit} from '../../form/group-as-typed.ts';
import {parseMoney} from '../../form/money.ts';

/** A text and its caret, which is written as `|`. */
const parse = (marked: string) => ({text: marked.replace('|', ''), caret: marked.indexOf('|')});
const mark = ({text, caret}: {text: string; caret: number}) => `${text.slice(0, caret)}|${text.slice(caret)}`;

type Key = string;

/** What a browser makes of a key in an input without a selection. */
function edit(marked: string, key: Key): Edit {
  const {text: before, caret} = parse(marked);
  const left = before.slice(0, caret);
  const right = before.slice(caret);
  const whole = {before, data: null, isComposing: false};
  if (key === 'Backspace')
    return {
      ...whole,
      after: left.slice(0, -1) + right,
      caret: Math.max(0, caret - 1),
      inputType: 'deleteContentBackward',
    };
  if (key === 'Delete')
    return {...whole, after: left + right.slice(1), caret, inputType: 'deleteContentForward'};
  return {...whole, after: left + key + right, caret: caret + key.length, inputType: 'insertText', data: key};
}

/** What the input shows after a key. */
function press(marked: string, key: Key) {
  const made = edit(marked, key);
  return mark(groupAsTyped(made) ?? {text: made.after, caret: made.caret});
}

const keys: readonly (readonly [before: string, key: Key, after: string])[] = [
  ['|', '5', '5|'],
  ['123|', '4', '1,234|'],
  ['123,456|', '7', '1,234,567|'],
  ['|123', '9', '9|,123'],
  ['1|,234', '9', '19|,234'],
  ['1,|234', '9', '19|,234'],
  ['12|3,456', '9', '1,29|3,456'],
  // deletion, also over a comma
  ['1,234|', 'Backspace', '123|'],
  ['1,|234', 'Backspace', '|234'],
  ['12,345,|678', 'Backspace', '1,234|,678'],
  ['1|,234', 'Delete', '1|34'],
  ['|1,234', 'Delete', '|234'],
  ['123|,456', 'Delete', '12,3|56'],
  ['1|', 'Backspace', '|'],
  // what is typed besides digits, and what is typed after it
  ['1,234|', '.', '1,234.|'],
  ['1,234.|', '5', '1,234.5|'],
  ['50|', ',', '50,|'],
  ['50,|', '5', '50,5|'],
  ['50,|', 'Backspace', '50|'],
  ['50|', 'k', '50k|'],
  ['1,234|', 'k', '1,234k|'],
  ['$5000|', '0', '$50000|'],
  ['5000k|', 'Backspace', '5,000|'],
  ['5000.|', 'Backspace', '5,000|'],
  ['-500|', '0', '-5000|'],
  ['50 00|', '0', '50 000|'],
  // what was pasted without commas is grouped with the next digit
  ['5000|', '0', '50,000|'],
];

suite('groupAsTyped', () => {
  for (const [before, key, after] of keys) {
    test(`${key} at ${before} gives ${after}`, () => assert.equal(press(before, key), after));
  }

  const left: readonly (readonly [what: string, change: Partial<Edit>])[] = [
    ['a paste', {inputType: 'insertFromPaste', data: '1234'}],
    ['what an input method composes', {inputType: 'insertCompositionText', data: '1234'}],
    ['a deletion while an input method composes', {inputType: 'deleteContentBackward', isComposing: true}],
    ['an undo', {inputType: 'historyUndo'}],
    ['an autofill, which has no type in some browsers', {inputType: ''}],
    ['a text that is longer than any amount', {after: '9'.repeat(200_000), caret: 9}],
  ];
  for (const [what, change] of left) {
    test(`${what} is left alone`, () => {
      assert.equal(groupAsTyped({...edit('123|', '4'), ...change}), undefined);
    });
  }

  test('a digit that replaces a selection is grouped with the rest', () => {
    const replaced: Edit = {...edit('1,2|', '5'), before: '1,234'};
    assert.deepEqual(groupAsTyped(replaced), {text: '125', caret: 3});
  });

  test('after any keys the same digits are grouped, with the caret between the same two', () => {
    const key = fc.oneof(
      fc.constantFrom(...'0123456789', 'Backspace', 'Delete'),
      fc.record({moveTo: fc.nat({max: 12})}),
    );
    const digitsOf = (text: string) => text.replaceAll(',', '');
    fc.assert(
      fc.property(fc.array(key, {maxLength: 25}), (pressed) => {
        let grouped = '|';
        let plain = '|';
        for (const next of pressed) {
          if (typeof next === 'string') {
            // Until a grouped amount is too long to be one.
            if (digitsOf(grouped).length > 14) return;
            grouped = press(grouped, next);
            // The same keys in a text that is never grouped.
            const {after, caret} = edit(plain, next);
            plain = mark({text: after, caret});
          } else {
            const {text} = parse(grouped);
            const caret = Math.min(next.moveTo, text.length);
            grouped = mark({text, caret});
            plain = mark({text: digitsOf(text), caret: digitsOf(text.slice(0, caret)).length});
          }
          const {text} = parse(grouped);
          assert.equal(digitsOf(grouped), plain);
          assert.equal(text, groupDigits(digitsOf(text)));
          if (text) assert.equal(parseMoney(text), Number(digitsOf(text)));
        }
      }),
    );
  });
});
