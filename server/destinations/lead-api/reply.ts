/** Reads a 2xx reply of a lead API. Errors tell the operator what is wrong with the reply, but hold no value of it. */
import {brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync} from 'node:zlib';
import {z} from 'zod';
import {specifiedAmounts, type Amounts, type SpecifiedAmount} from '../../../contract/amounts.ts';
import type {FormFieldName} from '../../../contract/fields.ts';
import {formFieldNames, questions} from '../../../contract/questions.ts';
import {problemTypePrefix, type ProblemCode} from '../../../contract/problems.ts';
import type {Lead} from '../../leads/lead-schema.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {unreadableReply} from './failures.ts';
import {upstreamIdSchema} from './upstream-id.ts';

/** The maximum bytes of a body, both as it is sent and after decompression. */
export const maxReplyBytes = 65_536;

export type Reply = {
  status: number;
  /** `broken` is a code that says why the body could not be received. */
  body: {received: Buffer} | {broken: string};
  contentEncoding: string;
  /** Milliseconds. */
  retryAfter: number;
};

type Shape<Value> = {schema: z.ZodType<Value>; must: string};

export const createdShape: Shape<{id: string}> = {
  schema: z.object({id: upstreamIdSchema}),
  must: 'must be a text of 1 to 256 characters or a whole number',
};

/**
 * The amounts that every lead API returns, as in section 2.3 of the specification. The reply also has the first name,
 * which is not needed, because the lead has it.
 */
export const amountsShape: Shape<Pick<Amounts, SpecifiedAmount>> = {
  schema: z.object(tableOf(specifiedAmounts, () => z.int().min(0))),
  must: 'must be a whole number',
};

/** @throws DeliveryError that names what is wrong with the reply */
export function parseReply<Value>(method: 'GET' | 'POST', reply: Reply, {schema, must}: Shape<Value>): Value {
  const unreadable = (message: string) => unreadableReply(method, message);
  const answer = `The upstream's answer to ${method}`;
  const {status, body, contentEncoding} = reply;

  if ('broken' in body)
    throw unreadable(`${answer}, ${status}, could not be read to its end (${body.broken})`);
  const {received} = body;
  if (received.length === 0)
    throw unreadable(`The upstream answered ${method} with ${status} and an empty body`);
  const decoded = orUndefined(() => decompress(received, contentEncoding));
  if (!decoded) throw unreadable(`${answer} cannot be decompressed`);
  // The decoder skips a byte order mark.
  const text = orUndefined(() => new TextDecoder('utf-8', {fatal: true}).decode(decoded));
  if (text === undefined) throw unreadable(`${answer} is not UTF-8`);
  const data = orUndefined<unknown>(() => JSON.parse(text, keepDigitsOfId));
  if (data === undefined) throw unreadable('The upstream answered with something that is not JSON');
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw unreadable(`${answer} is not a JSON object`);
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const fields = [...new Set(result.error.issues.map(({path}) => String(path[0])))].join(', ');
  throw unreadable(`${answer} has no usable field ${fields}: ${must}`);
}

/** As `problem+json` of our own API has them, or as a table by the name of the field. */
const refusalSchema = z.object({
  errors: z.union([
    z
      .array(z.object({field: z.string()}).catch({field: ''}))
      .transform((errors) => errors.map(({field}) => field)),
    z.record(z.string(), z.unknown()).transform((errors) =>
      // Some list all fields, and have nothing beside those that are right.
      Object.keys(errors).filter((name) => ![errors[name] ?? []].flat().every((error) => !error)),
    ),
  ]),
});

/**
 * @param reply that refuses a lead
 * @returns the fields of the form that it names. Everything else in it may repeat what the visitor typed, and is dropped.
 *   So is a field that not every partner asks for, if the lead does not have it
 */
export function namedFields(reply: Reply, lead: Lead): FormFieldName[] {
  const named = orUndefined(() => parseReply('POST', reply, {schema: refusalSchema, must: 'must be a list'}));
  return formFieldNames.filter(
    (field) =>
      named?.errors.includes(field) && (!Object.hasOwn(questions, field) || Object.hasOwn(lead, field)),
  );
}

/** Whether it is the problem that our own API calls so. */
export function says(reply: Reply, code: ProblemCode): boolean {
  const schema = z.object({type: z.literal(`${problemTypePrefix}${code}`)});
  return orUndefined(() => parseReply('POST', reply, {schema, must: 'must be this one'})) !== undefined;
}

function orUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** For `JSON.parse`: turns an id that is a whole number into text, because numbers above 2^53 would lose digits. */
function keepDigitsOfId(key: string, value: unknown, context?: {source?: string}): unknown {
  if (key !== 'id' || typeof value !== 'number') return value;
  const digits = context?.source ?? String(value);
  return /^\d+$/.test(digits) ? digits : value;
}

type Decode = (data: Buffer, options: {maxOutputLength: number}) => Buffer;
/** Some servers send `deflate` without its zlib header, which browsers accept as well. */
const inflate: Decode = (data, options) =>
  orUndefined(() => inflateSync(data, options)) ?? inflateRawSync(data, options);
const decoders = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/**
 * Our requests ask for no compression, but some servers and gateways compress nevertheless. The synchronous functions
 * do not block the event loop for long, because a body has at most 64 KiB before and after decompression.
 * @throws Error when the encoding is unknown, or the content is broken or too long
 */
function decompress(body: Buffer, contentEncoding: string): Buffer {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const applied = encodings.filter((name) => name !== '' && name !== 'identity').toReversed();
  if (applied.length > 3) throw new Error('Too many encodings');
  return applied.reduce((data, name) => {
    const decode = decoders.get(name);
    if (!decode) throw new Error('Unknown encoding');
    return decode(data, {maxOutputLength: maxReplyBytes});
  }, body);
}
