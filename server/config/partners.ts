/** The partners file: which partners may embed the form, on which pages, and which destinations get their leads. */
import {z} from 'zod';
import {leadTypes, type LeadType} from '../../contract/fields.ts';
import {defaultDestination, destinationKinds} from './destinations.ts';
import {readJsonFile} from './files.ts';
import {isCovered, origin} from './origins.ts';
import {cid, name, nonEmpty} from './values.ts';

/** A text that the form shows to visitors. It may contain the placeholder `{phone}`. */
const nextStepText = z.string().trim().min(1).max(300);
/** A language tag as pages have it in `lang`. */
const languageTag = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/, 'must be a language such as en or es-MX');
const nextStep = z.union([
  // A text whose language is not known.
  nextStepText.transform((text) => ({und: text})),
  z
    .record(languageTag, nextStepText)
    .refine((texts) => Object.keys(texts).length > 0, 'must hold at least one language'),
]);

/** The fields of a partner as the file names them. */
const partnerFields = z.strictObject({
  /** The value of the form's `partner` attribute. Everybody can read it. */
  key: name,
  origins: z.array(origin).min(1, 'must hold at least one origin'),
  lead_types: z
    .array(z.enum(leadTypes))
    .min(1)
    .default([...leadTypes]),
  /** The client that owns the leads of this partner. It is never sent to a browser. */
  cid,
  /** The name of the upstream that answers the partner's leads. Without it, the calculator answers them. */
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
  /**
   * What happens after the visitor has sent the form: who calls, at which number (`{phone}`), and when. One text, or
   * texts by language. A visitor whose language is missing sees the first one.
   */
  next_step: nextStep.optional(),
  /** When more leads than this arrive within an hour, the proof of work gets harder and the log says so. */
  quota_per_hour: z.int().min(1).default(1_000),
  /** What happens to a lead that a bot may have sent. */
  suspect: z.enum(['deliver', 'hold']).default('deliver'),
  /**
   * Which types of leads are delivered only once if the same lead comes again within a day: all, none, or only
   * pre-qualification leads. A merged lead is answered faster, and so its sender can tell that the same lead was sent
   * before. A stranger could test this for standard leads, because their fields can be guessed: a name, an e-mail
   * address and a phone number. The financial fields of a pre-qualification lead are hard to guess.
   */
  merge_duplicates: z.union([z.boolean(), z.literal('prequalification')]).default('prequalification'),
});
const partnerSchema = partnerFields.transform(
  ({lead_types, upstream, next_step, quota_per_hour, merge_duplicates, ...others}) => ({
    ...others,
    leadTypes: lead_types,
    /** The name of the destination that answers the partner's leads. If undefined, the calculator answers them. */
    answerFrom: upstream,
    /** The names of further destinations, which receive the leads and give no answer. The file cannot list any yet. */
    sendTo: [] as readonly string[],
    nextStep: next_step,
    quotaPerHour: quota_per_hour,
    mergeDuplicates: merge_duplicates,
  }),
);

const fileSchema = z
  .strictObject({
    upstreams: z.record(name, destinationKinds['lead-api']).default({}),
    partners: nonEmpty(partnerSchema, 'must hold at least one partner'),
  })
  .superRefine(({upstreams, partners}, context) => {
    if (Object.hasOwn(upstreams, defaultDestination)) {
      const message = 'is the name of the upstream that the UPSTREAM_… settings describe';
      context.addIssue({code: 'custom', path: ['upstreams', defaultDestination], message});
    }
    for (const [index, partner] of partners.entries()) {
      const issue = (field: string, message: string) =>
        context.addIssue({code: 'custom', path: ['partners', index, field], message});
      if (partners.findIndex(({key}) => key === partner.key) < index) issue('key', 'is there twice');
      if (partner.answerFrom !== undefined && !Object.hasOwn(upstreams, partner.answerFrom)) {
        issue('upstream', 'is not among the upstreams');
      }
    }
  })
  .transform(({upstreams, partners}) => ({destinations: upstreams, partners}));

export type Partner = z.output<typeof partnerSchema>;
export type PartnersFile = z.output<typeof fileSchema>;

/** Makes a partner from fields as in the file, with defaults for fields that are left out. @throws z.ZodError */
export const onePartner = (partner: z.input<typeof partnerSchema>): Partner => partnerSchema.parse(partner);

/** @throws Error that names the path of every wrong field */
export const readPartners = (path: string): PartnersFile => readJsonFile(path, fileSchema);

/** Whether the partner wants a lead of this type to be delivered only once when it comes again within a day. */
export const mergesDuplicates = ({mergeDuplicates}: Partner, leadType: LeadType): boolean =>
  mergeDuplicates === true || mergeDuplicates === leadType;

/** Whether a page of this origin may send leads for the partner. */
export const allowsOrigin = ({origins}: Partner, pageOrigin: string): boolean =>
  origins.some((allowed) => isCovered(pageOrigin, allowed));
