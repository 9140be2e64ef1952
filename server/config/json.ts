/**
 * Reads JSON, which may have comments and a comma after the last item, and says where in the text a fault is: in which
 * line and column, as editors count them.
 */
import type * as JsoncParser from 'jsonc-parser';
import {atFirstUse} from './at-first-use.ts';

/** Loads jsonc-parser at the first text that is not plain JSON, because it takes time to load. */
const jsonc = atFirstUse<typeof JsoncParser>('jsonc-parser');

/** Line and column, both from 1. */
export type Place = {line: number; column: number};

/** The message says what is wrong, such as `comma expected`. It repeats nothing of the text, which may hold secrets. */
export class JsonError extends Error {
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.name = 'JsonError';
    this.place = place;
  }
}

const options = {allowTrailingComma: true};

/** A text in quotes, which stays, or the comma after the last item. */
const textOrLastComma = /("(?:\\.|[^"\\])*")|,(?=\s*[\]}])/g;

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return {line: lines.length, column: (lines.at(-1) ?? '').length + 1};
}

/** The code of an error, such as `CommaExpected`, in words. */
const inWords = ({error}: JsoncParser.ParseError) =>
  jsonc()
    .printParseErrorCode(error)
    .replace(/\B[A-Z]/g, ' $&')
    .toLowerCase();

/** @throws JsonError for the first fault */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const errors: JsoncParser.ParseError[] = [];
    jsonc().parseTree(text, errors, options);
    const [first] = errors;
    if (first) throw new JsonError(inWords(first), placeAt(text, first.offset));
    try {
      // Not the value of jsonc-parser, to which names such as `__proto__` mean something else.
      return JSON.parse(jsonc().stripComments(text).replace(textOrLastComma, '$1'));
    } catch {
      throw new JsonError('invalid value', placeAt(text, 0));
    }
  }
}

/**
 * The braces of objects, and texts in quotes, which are names if a colon follows. Comments are found, too, so that what looks like
 * either in them does not count.
 */
const nameOrBrace = /("(?:\\.|[^"\\])*")(\s*:)?|[{}]|\/\/.*|\/\*[^]*?\*\//g;

/** The first name that an object has twice, and where. `JSON.parse` would take the last value, and drop the others. */
export function nameTwice(text: string): {name: string; place: Place} | undefined {
  const open: Set<string>[] = [];
  for (const {0: sign, 1: name = '', 2: colon, index} of text.matchAll(nameOrBrace)) {
    const names = open.at(-1);
    if (sign === '{') open.push(new Set());
    else if (sign === '}') open.pop();
    else if (colon && names?.has(name)) return {name, place: placeAt(text, index)};
    else if (colon) names?.add(name);
  }
  return undefined;
}

/**
 * The place of a value in a text that `parseJson` reads. If there is no such value, the place of the value in which it is
 * missing.
 * @param path the names and indexes that lead to the value
 * @param fault `unknownField`: a field of that value, whose name is the fault; `character`: the index of the character
 *   in that value, a text, at which the fault is
 */
export function placeOf(
  text: string,
  path: readonly PropertyKey[],
  {unknownField, character}: {unknownField?: string | undefined; character?: number | undefined} = {},
): Place {
  const {findNodeAtLocation, parseTree} = jsonc();
  const tree = parseTree(text, undefined, options);
  const find = (steps: readonly PropertyKey[]) =>
    tree &&
    findNodeAtLocation(
      tree,
      steps.map((step) => (typeof step === 'number' ? step : String(step))),
    );
  const named = unknownField === undefined ? undefined : find([...path, unknownField])?.parent;
  let found = named ?? find(path);
  for (let length = path.length - 1; !found && length >= 0; length -= 1) found = find(path.slice(0, length));
  const offset = found?.offset ?? 0;
  return placeAt(text, character === undefined ? offset : offsetOf(text, offset, character));
}

/** Where a character of a text in JSON stands, which may be written as an escape, as those before it. */
function offsetOf(text: string, quote: number, character: number): number {
  const written = /\\u.{4}|\\.|[^]/gy;
  written.lastIndex = quote + 1;
  for (let index = 0; index < character; index += 1) written.exec(text);
  return written.lastIndex;
}
