/** The partners in the file: who may embed the form, on which pages, and which destinations get their leads. */
import {z} from 'zod';
import {leadTypes, type LeadType} from '../../contract/fields.ts';
import {formLanguages} from '../../form/words/languages.ts';
import {misplacedName, unknownPlaceholder} from '../../form/words/partner-text.ts';
import {unknownLanguage} from '../../form/words/text-in-language.ts';
import {inCamelCase} from './camel-case.ts';
import {confirmSchema} from './confirmations.ts';
import {consentSchema, looksMarked} from './consent.ts';
import {contextFieldsSchema} from './context-fields.ts';
import {askSchema, questionWarnings, ruleWarning} from './questions.ts';
import {routeFields, toRoute} from './routes.ts';
import {isCovered, origin} from './origins.ts';
import {forEver, maxRetainDays} from './retention.ts';
import {
  cid,
  displayName,
  emailAddress,
  keptConsentYears,
  keptDays,
  languageTag,
  name,
  telephone,
} from './values.ts';

/** A text that the form shows to visitors. It may contain the placeholders of form/words/partner-text.ts. */
const nextStepText = z.string().trim().min(1).max(300);
/** One text or link, whose language is not known, or texts or links by language. */
const byLanguage = <Content>(content: z.ZodType<Content>, wrong?: string) =>
  z.union(
    [
      content.transform((only): Record<string, Content> => ({[unknownLanguage]: only})),
      z
        .record(languageTag, content)
        .refine((contents) => Object.keys(contents).length > 0, 'must hold at least one language'),
    ],
    wrong,
  );
const nextStep = byLanguage(nextStepText);

const withoutBraces = (text: string) => !/[{}]/.test(text);
const noBraces = 'must have no { and no }';

/** Stands at the phone field before anything is typed, so there is nothing for a placeholder. */
const promiseText = z.string().trim().min(1).max(120).refine(withoutBraces, {error: noBraces});
const callPromise = byLanguage(promiseText);
const trustLine = byLanguage(displayName.refine(withoutBraces, {error: noBraces}));

const httpsAddress = z
  .string()
  .refine((text) => URL.parse(text)?.protocol === 'https:', {error: 'must begin with https://'});

const ctaLink = z.strictObject({
  label: displayName
    .refine(withoutBraces, {error: noBraces})
    .describe('What it says, without placeholders: a button should not change with each visitor.'),
  href: httpsAddress.describe('Where it leads: an address that begins with https://.'),
});
const cta = byLanguage(
  ctaLink,
  'must have a label without braces and an href that begins with https://, or both for each language',
);

/** The fields of a partner as the file names them. */
export const partnerFields = z.strictObject({
  key: name.describe("The value of the form's attribute `partner`. Everybody can read it."),
  name: displayName.optional().describe('The name that visitors read.'),
  logo: httpsAddress
    .regex(
      /^https:\/\/[\w.:-]+\//,
      'must be the address of a picture, such as https://www.acme.example/logo.svg',
    )
    .optional()
    .describe('The https address of a picture of at most 100 kB.'),
  privacy_href: httpsAddress.optional().describe("The https address of the partner's privacy page."),
  contact: z
    .strictObject({
      phone: telephone.optional().describe('A number that visitors can call, shown as it is written here.'),
      email: emailAddress.optional().describe('An address that visitors can write to.'),
    })
    .refine(({phone, email}) => phone ?? email, {error: 'must have a phone or an email'})
    .optional()
    .describe('How visitors reach the partner where the form gets no further.'),
  origins: z
    .array(origin)
    .min(1, 'must hold at least one origin')
    .describe(
      'The pages that may embed the form: origins, or `https://*.acme.example`, where the star is one label.',
    ),
  lead_types: z
    .array(z.enum(leadTypes))
    .min(1)
    .default([...leadTypes])
    .describe('Which types of lead the form may send.'),
  cid: cid.optional().describe('The client that owns the leads: `key` without it. No browser gets it.'),
  ...routeFields,
  consent: consentSchema.optional().describe('What the visitor agrees to before sending, in each language.'),
  colors: z
    .strictObject({
      accent: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0b7a5a')
        .describe('The accent colour, such as `#0b7a5a`.'),
    })
    .optional()
    .describe('The colours of the form, unless the page sets them.'),
  next_step: nextStep
    .optional()
    .describe(
      'Who calls after the form was sent, at which number (`{phone}`), and when. One text, or texts by language.',
    ),
  cta: cta
    .optional()
    .describe('The link below the result, unless the page sets its own. One, or links by language.'),
  confirm: confirmSchema
    .optional()
    .describe('Whether visitors get an e-mail that says that their answers have arrived.'),
  show_estimate: z
    .enum(['after-contact', 'before-contact'])
    .default('after-contact')
    .describe('When the visitor sees the total: after the contact data, or `before-contact`.'),
  ask: askSchema
    .prefault([])
    .describe(
      'What the form asks for besides: fields that the server knows, by name, and questions of your own.',
    ),
  call_promise: callPromise
    .optional()
    .describe('What the partner promises about its call. One text, or texts by language.'),
  trust_line: trustLine
    .optional()
    .describe(
      'One line of at most 80 characters, such as a rating. Only what is true and can be shown. One text, or texts by language.',
    ),
  context_fields: contextFieldsSchema
    .default([])
    .describe('What pages may send besides, such as a brand. Never personal data.'),
  quota_per_hour: z
    .int()
    .min(1)
    .default(1_000)
    .describe('With more leads in an hour, the proof of work gets harder and the log says so.'),
  retain_days: z
    .union([keptDays, z.literal(forEver)], {
      error: `must be a whole number from 1 to ${maxRetainDays}, or "${forEver}"`,
    })
    .optional()
    .describe('After how many days leads are erased, or `forever`. Without it, that of the file.'),
  keep_consent_years: keptConsentYears
    .optional()
    .describe('How many years a consent stays when its lead is erased. Without it, that of the file.'),
  suspect: z
    .enum(['deliver', 'hold'])
    .default('deliver')
    .describe('Whether a lead that a bot may have sent is delivered, or `hold` until you decide.'),
  without_script: z
    .enum(['suspect', 'trust'])
    .default('suspect')
    .describe(
      'Leads without a script, and so without a proof of work, are suspects; with `trust`, as others.',
    ),
  /**
   * A merged lead is answered faster, and so its sender can tell that the same lead was sent before. A stranger could test
   * this for standard leads, because their fields can be guessed: a name, an e-mail address and a phone number. The
   * financial fields of a pre-qualification lead are hard to guess.
   */
  merge_duplicates: z
    .union([z.boolean(), z.literal('prequalification')], 'must be true, false or "prequalification"')
    .default('prequalification')
    .describe(
      'Which leads are delivered only once if they come again within a day: `true` all, `false` none.',
    ),
});

/** A partner as the server knows it, with what it has by default. */
export function toPartner({
  answer_from,
  send_to,
  show_estimate,
  ask,
  ...fields
}: z.output<typeof partnerFields>) {
  return {
    ...inCamelCase(fields),
    name: fields.name ?? fields.key,
    cid: fields.cid ?? fields.key,
    ...ask,
    ...toRoute({answer_from, send_to}),
    showsEstimate: show_estimate === 'before-contact',
  };
}
export type Partner = ReturnType<typeof toPartner>;

/** Makes a partner from fields as in the file, with defaults for fields that are left out. @throws z.ZodError */
export const onePartner = (partner: z.input<typeof partnerFields>): Partner =>
  toPartner(partnerFields.parse(partner));

/** What is probably a mistake in the partner's texts, and in which of its fields. */
export function textWarnings({
  consent,
  nextStep,
  cta,
  callPromise,
  trustLine,
  questions,
  rules = [],
}: Partner): {path: readonly string[]; warning: string}[] {
  const warnings: {path: readonly string[]; warning: string}[] = [];
  const warn = (path: readonly string[], warning: string) => warnings.push({path, warning});
  const plain = consent?.texts[unknownLanguage];
  if (plain && looksMarked(plain.text))
    warn(
      ['consent', 'text'],
      'has a link or {button} that visitors see as it is written: give the text in texts',
    );
  for (const question of questions)
    for (const warning of questionWarnings(question, formLanguages))
      warn(['ask'], `${question.name}: ${warning}`);
  for (const {to, when = {}} of rules) {
    const why = ruleWarning(when, questions);
    if (why !== undefined) warn(['send_to'], `${to}: ${why}: ask counsel first`);
  }
  for (const [tag, text] of Object.entries(nextStep ?? {})) {
    const path = tag === unknownLanguage ? ['next_step'] : ['next_step', tag];
    const unknown = unknownPlaceholder(text);
    if (unknown !== undefined) warn(path, `has ${unknown}, which visitors see as it is written`);
    if (misplacedName(text))
      warn(
        path,
        'has {first_name} without a comma beside it: it is left out where the name is not known, and the sentence must read well without it',
      );
  }
  const texts = {
    'consent.texts': consent?.texts,
    next_step: nextStep,
    cta,
    call_promise: callPromise,
    trust_line: trustLine,
  };
  for (const [field, byLanguage] of Object.entries(texts)) {
    const path = field.split('.');
    const tags = Object.keys(byLanguage ?? {});
    const [first] = tags;
    if (first === undefined || first === unknownLanguage) continue;
    const unknown = tags.filter((tag) => !formLanguages.some((language) => tag.split('-')[0] === language));
    for (const tag of unknown)
      warn(
        [...path, tag],
        `is for a language that the form does not have (${formLanguages.join(', ')}), so nobody sees it`,
      );
    const missing = formLanguages.filter((language) => !tags.some((tag) => tag.split('-')[0] === language));
    if (missing.length > 0)
      warn(path, `has no text in ${missing.join(', ')}: forms in that language show the one in ${first}`);
  }
  return warnings;
}

/** Whether the partner wants a lead of this type to be delivered only once when it comes again within a day. */
export const mergesDuplicates = ({mergeDuplicates}: Partner, leadType: LeadType): boolean =>
  mergeDuplicates === true || mergeDuplicates === leadType;

/** Whether a page of this origin may send leads for the partner. */
export const allowsOrigin = ({origins}: Partner, pageOrigin: string): boolean =>
  origins.some((allowed) => isCovered(pageOrigin, allowed));
