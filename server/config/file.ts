/**
 * `lead-prequal.json`: what the business says, which is all that belongs to no machine and is no secret. A reload takes
 * every key of it.
 */
import {z} from 'zod';
import {defaultPolicy} from '../../calculator/policy.ts';
import {callersSchema} from './callers.ts';
import {calculatorName, destinationSchema, recipients, sender} from './destinations.ts';
import {readJson, type JsonFile, type TextFile} from './files.ts';
import {partnerFields, toPartner} from './partners.ts';
import {policySchema} from './policy.ts';
import {maxRetainDays} from './retention.ts';
import {ranges} from './setting-values.ts';
import {keptConsentYears, keptDays, name, nonEmpty, versionNumber} from './values.ts';

/** All keys, by group. `npm run docs` makes a table of each group, in the same order. */
export const fileGroups = {
  'Who takes leads, and where they go': {
    partners: nonEmpty(partnerFields, 'must hold at least one partner').describe(
      'Whose pages embed the form. A form without the attribute `partner` is that of the first.',
    ),
    destinations: z
      .record(name, destinationSchema)
      .default({})
      .describe('Where leads go, by name ([more](destinations.md)).'),
    callers: callersSchema
      .default([])
      .describe(
        'Who may call `/json/leads`. `lead-prequal callers new` makes an entry ([more](operations.md#callers)).',
      ),
  },
  'Mails and alerts': {
    mail_from: sender
      .optional()
      .describe(
        'The sender of e-mails, such as `Leads <leads@example.com>`. Default: the mailbox in `SMTP_URL`.',
      ),
    alerts_to: recipients
      .optional()
      .describe(
        'Who gets an e-mail when something needs an operator ([more](operations.md#alerts-by-e-mail)).',
      ),
    confirmations: z
      .boolean()
      .default(true)
      .describe('`false` stops the e-mails to visitors ([more](partners.md#a-confirmation-by-e-mail)).'),
  },
  'How long leads are kept': {
    retain_days: keptDays
      .optional()
      .describe('After how many days leads are erased; never without it ([more](privacy.md#retention)).'),
    retain_grace_days: z
      .int()
      .min(0)
      .max(maxRetainDays)
      .default(30)
      .describe('How many days longer open deliveries keep a lead ([more](privacy.md#retention)).'),
    keep_consent_years: keptConsentYears
      .default(5)
      .describe('How many years a consent stays when its lead is erased ([more](privacy.md#retention)).'),
    erasures_file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Where erasures are written down. SQLite has a file by default ([more](privacy.md#backups)).',
      ),
  },
  'Amounts and limits': {
    policy: policySchema
      .default(defaultPolicy)
      .describe("Replaces the calculator's figures ([more](policy.md))."),
    proof_of_work: z
      .int()
      .min(0)
      .max(100_000)
      .default(200)
      .describe('How much work a browser does for each lead ([more](partners.md#quotas-and-proof-of-work)).'),
    rate_limit: z
      .int()
      .min(1)
      .default(60)
      .describe('How many requests of each kind one address may send to the API of the form in a minute.'),
    sign_in_exempt: z
      .array(z.string())
      .default([])
      .transform((addresses) => addresses.join(','))
      .pipe(ranges)
      .describe('Addresses that failed sign-ins never lock out ([more](operations.md#callers)).'),
  },
  'Pages and versions': {
    snippets_page: z
      .boolean()
      .default(true)
      .describe('Whether partners can copy snippets from `/embed/snippets` ([more](partners.md#snippets)).'),
    withdrawn_versions: z
      .array(versionNumber)
      .default([])
      .describe('Versions that are not served, such as `1.0.0` ([more](versions.md#withdrawing-a-version)).'),
  },
};

const fields = z.strictObject({
  $schema: z.string().optional().describe('The address of this schema, for editors. The server ignores it.'),
  ...fileGroups['Who takes leads, and where they go'],
  ...fileGroups['Mails and alerts'],
  ...fileGroups['How long leads are kept'],
  ...fileGroups['Amounts and limits'],
  ...fileGroups['Pages and versions'],
});

const fileSchema = fields
  .superRefine(({destinations, partners}, context) => {
    const issue = (path: PropertyKey[], message: string) => context.addIssue({code: 'custom', path, message});
    if (Object.hasOwn(destinations, calculatorName))
      issue(['destinations', calculatorName], 'is the name of the calculator');
    for (const [
      index,
      {key, answer_from = calculatorName, show_estimate, ...partner},
    ] of partners.entries()) {
      const pathOf = (field: string) => ['partners', index, field];
      if (partners.findIndex((other) => other.key === key) < index) issue(pathOf('key'), 'is there twice');
      // Of a list in which something is wrong, zod gives the entries as they are.
      const {questions = []}: Partial<typeof partner.ask> = partner.ask;
      for (const {name} of questions)
        if (partner.context_fields.some((each) => each.name === name))
          issue(pathOf('ask'), `${name} is the name of a hidden field, too`);
      if (show_estimate === 'before-contact' && answer_from !== calculatorName)
        issue(
          pathOf('show_estimate'),
          'needs the calculator: what an upstream will answer is not known before it has the lead',
        );
    }
  })
  .transform(({partners: [first, ...others], ...more}) => ({
    ...more,
    partners: [toPartner(first), ...others.map(toPartner)] as const,
  }));

/** ` ([more](privacy.md#retention))` */
const linkToGuide = / \(\[more\]\([^)]*\)\)/g;

/** The file as somebody writes it. */
export type FileInput = z.input<typeof fields>;
export type BusinessFile = JsonFile<z.output<typeof fileSchema>>;

/** @throws FileError that names the place of every wrong field */
export const readBusinessFile = (file: TextFile): BusinessFile => readJson(file, fileSchema);

/** The JSON Schema by which editors complete and explain the file. It knows less than the server: no rule between fields. */
export const businessFileSchema = (): z.core.JSONSchema.BaseSchema => {
  const schema = z.toJSONSchema(fields, {io: 'input', unrepresentable: 'any'});
  // An editor shows no links into the guides.
  return JSON.parse(JSON.stringify(schema).replaceAll(linkToGuide, '')) as typeof schema;
};
