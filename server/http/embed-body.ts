/** What a page sends with a lead. Beside the lead nothing is refused for its shape: what cannot be read is missing. */
import {z} from 'zod';
import {
  attributionKeys,
  attributionValue,
  type Attribution,
  type AttributionKey,
} from '../../contract/api.ts';
import {pageAddress} from '../../contract/page-address.ts';

const shortText = z.string().max(2_048);

const attribution = z.object(
  Object.fromEntries(
    attributionKeys.map((key) => [key, z.string().regex(attributionValue).optional().catch(undefined)]),
  ) as Record<AttributionKey, z.ZodCatch<z.ZodOptional<z.ZodString>>>,
);

export const embedBodySchema = z.object({
  lead: z.record(z.string(), z.unknown()),
  consent: z.object({version: shortText, agreed: z.boolean()}).optional().catch(undefined),
  proof: z.unknown().optional(),
  trap: z.string().optional().catch(undefined),
  elapsed_ms: z.number().optional().catch(undefined),
  page: shortText
    .regex(/^[\x21-\x7e]*$/)
    .optional()
    .catch(undefined),
  attribution: attribution.optional().catch(undefined),
  supersedes: z.object({id: shortText, token: shortText}).optional().catch(undefined),
});
export type EmbedBody = z.output<typeof embedBodySchema>;

const compiled = z.compile(embedBodySchema);
/** Undefined where there is not even something that could be a lead. */
export const readEmbedBody = (body: unknown): EmbedBody | undefined => compiled.safeParse(body).data;

/** An address of the web, shortened by the rule that the form follows too; null for anything else. */
export function bareAddress(text: string | undefined): string | null {
  const url = URL.parse(text ?? '');
  return url && /^https?:$/.test(url.protocol) ? pageAddress(url.href).slice(0, 2_048) : null;
}

const addresses: readonly AttributionKey[] = ['referrer', 'landing_page'];

/** How the visitor came; undefined where nothing is known. */
export function readAttribution({attribution: given = {}}: EmbedBody): Attribution | undefined {
  const known = attributionKeys
    .map((key) => [key, addresses.includes(key) ? bareAddress(given[key]) : given[key]])
    .filter(([, value]) => value);
  return known.length > 0 ? (Object.fromEntries(known) as Attribution) : undefined;
}
