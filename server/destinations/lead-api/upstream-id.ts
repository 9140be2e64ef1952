/** The schema of an upstream's id, apart from `reply.ts`: commands check such an id, and need no library for requests. */
import {z} from 'zod';

/**
 * The id that a lead API gives to a lead. It has no control characters and no halves of surrogate pairs, because a
 * database may refuse these.
 */
export const upstreamIdSchema = z
  .string()
  .max(256)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u)
  // In the path of a URL, `.` and `..` have a special meaning.
  .refine((id) => id !== '.' && id !== '..');
