/**
 * Reads the files that settings name. Error messages say what is wrong, and name wrong fields. They never contain a text
 * that may be a secret. So the path of a file is in them only once the file was read: before that, it may be a secret
 * that was set by mistake.
 */
import {readFileSync, statSync} from 'node:fs';
import {z} from 'zod';
import {JsonError, nameTwice, parseJson, placeOf, type Place} from './json.ts';
import {meant} from './meant.ts';
import {inWords} from './values.ts';

/**
 * A full disk or a failed deployment leaves files that are empty, or that hold only zeros. They are never taken for a
 * setting that is not set, because its default could store leads elsewhere, or for a shorter time.
 * @throws Error for a file that cannot be read. Its message begins with a verb, because the caller puts the name of the
 *   setting before it
 * @throws FileError for a file in which nothing can be seen
 */
export function readTextFile(path: string): string {
  const text = read(path);
  if (/[^\s\p{C}]/u.test(text)) return text;
  throw new FileError([`${path}: holds nothing: fill it, or remove it`]);
}

function read(path: string): string {
  try {
    // Some editors of Windows begin a file with this sign.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const {code = 'unknown error'} = error as NodeJS.ErrnoException;
    throw new Error(`names a file that cannot be read (${code})`, {cause: error});
  }
}

/** A warning about a file with secrets, if other users of the machine can read it. */
export const readableByAll = (path: string): string[] =>
  statSync(path).mode & 0o004 ? [`${path} can be read by every user of this machine: chmod o= ${path}`] : [];

/** All that is wrong with a file. Each fault begins with its place, such as `partners.json:12:7`. */
export class FileError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super(faults.join('; '), {cause});
    this.faults = faults;
  }
}

/** The place of a fault, in the form that editors and terminals open. */
export const inFile = (path: string, {line, column}: Place): string => `${path}:${line}:${column}`;

export type JsonFile<Content> = {
  content: Content;
  /** Where a field is, such as `partners.json:12:7`. */
  at: (path: readonly PropertyKey[]) => string;
};

/** A text, and where it was read: the path of a file, or the name of a setting. */
export type TextFile = {path: string; text: string};

/**
 * @throws FileError for a text that is no JSON, and for a content that does not match the schema. Then each fault names the
 *   path of a wrong field, such as `partners.1.key`
 */
export function readJson<Schema extends z.ZodType>(
  {path, text}: TextFile,
  schema: Schema,
): JsonFile<z.output<Schema>> {
  const result = schema.safeParse(parse(path, text), {error: inWords});
  if (result.success) return {content: result.data, at: (field) => inFile(path, placeOf(text, field))};
  throw new FileError(
    result.error.issues.map(nearest).map((issue) => {
      const unknownField = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
      const character =
        issue.code === 'custom' ? (issue.params?.['character'] as number | undefined) : undefined;
      const place = inFile(path, placeOf(text, issue.path, {unknownField, character}));
      const guess = unknownField === undefined ? '' : meant(unknownField, namesIn(schema));
      return `${place}: ${issue.path.join('.') || 'the file'}: ${issue.message}${guess}`;
    }),
  );
}

/**
 * Of something that may be one of several things, what is wrong with the one that it is nearest to: the fault that lies deepest.
 */
function nearest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue;
  const inside = issue.errors
    .flatMap(([first]) => first ?? [])
    .map((each) => nearest({...each, path: [...issue.path, ...each.path]}));
  return inside.reduce(
    (deepest, each) => (each.path.length > deepest.path.length ? each : deepest),
    inside[0] ?? issue,
  );
}

/** The names of all fields, wherever they are. */
function namesIn(schema: z.ZodType): string[] {
  const names: string[] = [];
  JSON.stringify(z.toJSONSchema(schema, {io: 'input', unrepresentable: 'any'}), (key, value: object) => {
    if (key === 'properties') names.push(...Object.keys(value));
    return value;
  });
  return names;
}

/** The content of a file that no setting names. @throws Error that begins with its path */
export function readOwnJsonFile<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  try {
    return readJson({path, text: readTextFile(path)}, schema).content;
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new Error(`${path}: ${(error as Error).message}`, {cause: error});
  }
}

function parse(path: string, text: string): unknown {
  try {
    const content = parseJson(text);
    const twice = nameTwice(text);
    if (!twice) return content;
    throw new FileError([
      `${inFile(path, twice.place)}: ${twice.name} is there twice, so only the last one would count`,
    ]);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new FileError([`${inFile(path, error.place)}: is not valid JSON: ${error.message}`], error);
  }
}
