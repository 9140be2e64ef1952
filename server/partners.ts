/** The sites that embed the form, and the upstreams their leads go to: a file that is checked at start. */
import {readFileSync} from 'node:fs';
import {z} from 'zod';
import {cidField, leadTypes, type LeadType} from '../contract/fields.ts';
import {origin} from './origin.ts';

/** The same rule as for the `cid` of a lead, or none of its leads could be taken. */
export const cid = z
  .string()
  .max(cidField.max)
  .regex(cidField.pattern, 'must be a text without control characters')
  .refine((text) => text === text.trim(), 'must not begin or end with a space');

export const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
    error: 'must be a URL that starts with https:// or http://',
    abort: true,
  })
  // Paths are appended to it, and some of these addresses are logged.
  .refine((text) => !/[?#]/.test(text) && !URL.parse(text)?.username && !URL.parse(text)?.password, {
    error: 'must have no user name, no password, no ? and no #',
  })
  .transform((text) => text.replace(/\/+$/, ''));

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/i, 'must be letters, digits and dashes');

const partnerSchema = z.strictObject({
  /** The `partner` attribute; public. */
  key: name,
  origins: z.array(origin).min(1, 'must hold at least one origin'),
  lead_types: z
    .array(z.enum(leadTypes))
    .min(1)
    .default([...leadTypes]),
  /** The client under which its leads are stored; never sent to a browser. */
  cid,
  /** By name; the calculator answers where there is none. */
  upstream: z.string().optional(),
  consent: z
    .strictObject({
      text: z.string().min(1).max(4_000),
      version: z.string().min(1).max(64),
      /** Whether the visitor must tick a box. */
      required: z.boolean().default(false),
    })
    .optional(),
  colors: z
    .strictObject({accent: z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b7a5a')})
    .optional(),
  /** Leads in an hour, beyond which the proof of work gets harder and the log says so. */
  quota_per_hour: z.int().min(1).default(1_000),
  /** What happens to leads that look like a machine's. */
  suspect: z.enum(['deliver', 'hold']).default('deliver'),
  /**
   * Which leads that come again within a day are delivered once: of all types, of none, or only those whose sender
   * must know every field. A merged lead is answered faster, so it tells that somebody sent it before, and of a
   * standard lead a stranger can guess name, e-mail and phone.
   */
  merge_duplicates: z.union([z.boolean(), z.literal('prequalification')]).default('prequalification'),
});

const fileSchema = z
  .strictObject({
    upstreams: z
      .record(
        name,
        z.strictObject({
          url: httpUrl,
          cid,
          credentials: z.string().regex(/^[A-Z0-9_]+$/, 'must be the name of credentials, in capitals'),
        }),
      )
      .default({}),
    partners: z.array(partnerSchema).min(1, 'must hold at least one partner'),
  })
  .superRefine(({upstreams, partners}, context) => {
    if (Object.hasOwn(upstreams, 'default')) {
      const message = 'is the name of the one that the UPSTREAM_… settings describe';
      context.addIssue({code: 'custom', path: ['upstreams', 'default'], message});
    }
    for (const [index, partner] of partners.entries()) {
      const issue = (field: string, message: string) =>
        context.addIssue({code: 'custom', path: ['partners', index, field], message});
      if (partners.findIndex(({key}) => key === partner.key) < index) issue('key', 'is there twice');
      if (partner.upstream !== undefined && !Object.hasOwn(upstreams, partner.upstream)) {
        issue('upstream', 'is not among the upstreams');
      }
    }
  });

export type Partner = z.output<typeof partnerSchema>;
export type PartnersFile = z.output<typeof fileSchema>;

/** One partner as settings describe it, with every default. @throws z.ZodError */
export const onePartner = (partner: z.input<typeof partnerSchema>): Partner => partnerSchema.parse(partner);

/** @throws Error that names every wrong field by its path */
export function readPartners(file: string): PartnersFile {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read', {cause: error});
  }
  const result = fileSchema.safeParse(data);
  if (result.success) return result.data;
  throw new Error(
    result.error.issues.map(({path, message}) => `${path.join('.') || 'the file'}: ${message}`).join('; '),
  );
}

/** Whether leads of this type that come again within a day are delivered once. */
export const mergesDuplicates = ({merge_duplicates: merged}: Partner, leadType: LeadType): boolean =>
  merged === true || merged === leadType;

/** Whether a page of this origin may use the partner. A wildcard stands for one label, not for several. */
export function admits({origins}: Partner, pageOrigin: string): boolean {
  return origins.some((allowed) => {
    const [start = '', end] = allowed.split('*');
    if (end === undefined) return allowed === pageOrigin;
    if (!pageOrigin.startsWith(start) || !pageOrigin.endsWith(end)) return false;
    return /^[a-z0-9-]{1,63}$/i.test(pageOrigin.slice(start.length, -end.length));
  });
}
