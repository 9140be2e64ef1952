/** Reads an upstream's 2xx. What is wrong with one is named to the operator, but never a value out of it. */
import {brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync} from 'node:zlib';
import {z} from 'zod';
import {prequalificationSchema} from '../../contract/lead-schema.ts';
import {DeliveryError} from './delivery-error.ts';

/** Bytes of a body, as it is sent and after decompression. */
export const maxReplyBytes = 65_536;

export type Reply = {
  status: number;
  /** A code that says why the body could not be received. */
  body: Buffer | string;
  contentEncoding: string;
  /** Milliseconds. */
  retryAfter: number;
};

/** The id that an upstream gives to a lead. Without what a database may refuse: NUL and halves of a surrogate pair. */
export const upstreamIdSchema = z
  .string()
  .max(256)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u)
  // As a part of a path these two mean another place.
  .refine((id) => id !== '.' && id !== '..');

type Shape<Value> = {schema: z.ZodType<Value>; must: string};

export const createdShape: Shape<{id: string}> = {
  schema: z.object({id: upstreamIdSchema}),
  must: 'must be a text of 1 to 256 characters or a whole number',
};
/** The name is ours to give; the amounts are the upstream's. */
export const amountsShape = {
  schema: prequalificationSchema.omit({first_name: true}),
  must: 'must be a whole number',
};

/**
 * The lead may be taken although the reply to its POST cannot be read: that is ambiguous. What is wrong with the
 * reply to a GET says nothing about other leads.
 * @throws DeliveryError that names what is wrong
 */
export function parseReply<Value>(method: 'GET' | 'POST', reply: Reply, {schema, must}: Shape<Value>): Value {
  const unreadable = (message: string) =>
    new DeliveryError(method === 'POST' ? 'ambiguous' : 'failed', message, {
      aboutLead: method === 'GET',
      unreadable: true,
    });
  const answer = `The upstream's answer to ${method}`;
  const {status, body, contentEncoding} = reply;

  if (typeof body === 'string')
    throw unreadable(`${answer}, ${status}, could not be read to its end (${body})`);
  if (body.length === 0) throw unreadable(`The upstream answered ${method} with ${status} and an empty body`);
  const decoded = orUndefined(() => decompress(body, contentEncoding));
  if (!decoded) throw unreadable(`${answer} cannot be decompressed`);
  // Leaves a byte order mark out.
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

function orUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Keeps an id that is a whole number as the digits that were sent, for a number above 2^53 would lose some. */
function keepDigitsOfId(key: string, value: unknown, context?: {source?: string}): unknown {
  if (key !== 'id' || typeof value !== 'number') return value;
  const digits = context?.source ?? String(value);
  return /^\d+$/.test(digits) ? digits : value;
}

/** Some send `deflate` without its header, and all browsers accept that. */
const inflate: typeof inflateSync = (data, options) =>
  orUndefined(() => inflateSync(data, options)) ?? inflateRawSync(data, options);
const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
] as const);

/**
 * We ask for no compression, but some servers and gateways compress all the same. A body is too small for this to
 * keep the event loop: 64 KiB at most, before and after.
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
    const decode = decoders.get(name as never);
    if (!decode) throw new Error('Unknown encoding');
    return decode(data, {maxOutputLength: maxReplyBytes});
  }, body);
}
