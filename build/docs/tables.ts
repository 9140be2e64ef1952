/**
 * `npm run docs`: writes the tables of the documentation from the code that they describe. With `--check` it writes
 * nothing, and fails when a table is out of date.
 */
import {readFileSync, writeFileSync} from 'node:fs';
import type {z} from 'zod';
import {amountParts, totalAmount} from '../../contract/amounts.ts';
import {problems} from '../../contract/problems.ts';
import {cidField, contactFields, financialFields, type Field} from '../../contract/fields.ts';
import {callerQuestions} from '../../contract/questions.ts';
import {rules} from '../../calculator/calculator.ts';
import {expectation} from '../../server/leads/lead-schema.ts';
import {defaultPolicy} from '../../calculator/policy.ts';
import {fileGroups} from '../../server/config/file.ts';
import {partnerFields} from '../../server/config/partners.ts';
import {settingGroups} from '../../server/config/settings.ts';
import {causeAreas} from '../../server/observe/causes.ts';
import {frameSnippet} from '../../server/snippets/frame-snippet.ts';
import {commandTables} from './commands.ts';
import {capitalized, code, fenced, fillTables, table, type Tables} from './markdown.ts';
import {snippetTables} from './snippet-tables.ts';
import {widgetTables} from './widget-tables.ts';

const files = [
  'docs/api.md',
  'docs/apply.md',
  'docs/causes.md',
  'docs/commands.md',
  'docs/embedding.md',
  'docs/partners.md',
  'docs/policy.md',
  'docs/settings.md',
  'docs/widget.md',
];

/** Columns of a terminal that is not too narrow. */
const screenWidth = 120;

type Schemas = Readonly<Record<string, z.ZodType>>;

/** The value of a setting that is not set, if it is words or a number. Undefined if the setting must be set. */
function defaultOf(schema: z.ZodType): string | undefined {
  const {success, data} = schema.safeParse(undefined);
  if (!success) return undefined;
  if (Array.isArray(data)) return data.join(', ');
  return ['string', 'number', 'boolean'].includes(typeof data) ? String(data) : '';
}

function settingLine(name: string, schema: z.ZodType): string {
  const fallback = defaultOf(schema);
  const shown = fallback === undefined ? ' (**required**)' : fallback && ` (\`${fallback}\`)`;
  const line = `- \`${name}\`${shown}: ${schema.description}`;
  if (line.length > screenWidth) throw new Error(`The line of ${name} has more than ${screenWidth} columns`);
  return line;
}

const listsOf = (groups: Readonly<Record<string, Schemas>>) =>
  Object.entries(groups)
    .map(([group, settings]) => {
      const lines = Object.entries(settings).map(([name, schema]) => settingLine(name, schema));
      return `### ${group}\n\n${lines.join('\n')}`;
    })
    .join('\n\n');

/** The sections of docs/partners.md that say more about a field. */
const sectionsOfFields: Readonly<Record<string, string>> = {
  contact: '#where-the-form-gets-no-further',
  send_to: 'destinations.md',
  consent: '#consent',
  next_step: '#what-happens-next',
  cta: '#what-happens-next',
  confirm: '#a-confirmation-by-e-mail',
  show_estimate: '#the-total-before-the-contact-data',
  ask: '#more-to-ask',
  name: '#who-asks',
  logo: '#who-asks',
  call_promise: '#who-asks',
  trust_line: '#who-asks',
  context_fields: '#hidden-fields',
  quota_per_hour: '#quotas-and-proof-of-work',
  retain_days: 'privacy.md#retention',
  keep_consent_years: 'privacy.md#retention',
  without_script: 'apply.md#without-javascript',
  merge_duplicates: '#the-same-lead-again',
};

const partnersList = () =>
  Object.entries(partnerFields.shape as Schemas)
    .map(([name, schema]) => {
      const section = sectionsOfFields[name];
      const shown = section === undefined ? code(name) : `[${code(name)}](${section})`;
      const fallback = defaultOf(schema);
      const note = fallback === undefined ? ' (required)' : fallback && ` (${code(fallback)})`;
      return `- ${shown}${note}: ${schema.description}`;
    })
    .join('\n');

/** A line for all fields of a type that take the same. */
function fieldsList(): string {
  const groups: [string, Readonly<Record<string, Field>>][] = [
    ['', {cid: cidField, ...contactFields}],
    ['prequalification, ', financialFields],
    ['', callerQuestions],
  ];
  const fields = groups.flatMap(([type, fields]) =>
    Object.entries(fields).map(([name, {required}]) => ({
      name: `\`${name}\``,
      rest: ` (${type}${required ? 'required' : 'optional'}): ${expectation(name).replace('must be ', '')}`,
    })),
  );
  const leadType = `\`lead_type\` (optional): ${expectation('lead_type').replace('must be ', '')}; \`standard\` when absent`;
  const alike = [...Map.groupBy(fields, ({rest}) => rest)];
  const lines = alike.map(([rest, group]) => group.map(({name}) => name).join(', ') + rest);
  return [leadType, ...lines].map((line) => `- ${line}`).join('\n');
}

/** The types of problem by status. Each reply has its title. */
const problemsList = () =>
  [...Map.groupBy(Object.entries(problems), ([, [status]]) => status)]
    .toSorted(([one], [other]) => one - other)
    .map(([status, group]) => `- ${status}: ${group.map(([name]) => code(name)).join(', ')}`)
    .join('\n');

const amountsTable = () =>
  table(
    ['Amount', 'Rule'],
    [
      ...amountParts.map((name) => [`\`${name}\``, rules[name].description]),
      [`\`${totalAmount}\``, 'the sum'],
    ],
  );

/** What all of them begin with is said once, if it is more than a word or two: "The receiver answered 401, 403". */
function joined(messages: readonly string[]): string {
  const [first = [], ...others] = messages.map((message) => message.split(' '));
  const shared = first.findIndex((word, index) => others.some((other) => other[index] !== word));
  return [first, ...others.map((other) => other.slice(shared > 2 ? shared : 0))]
    .map((words) => words.join(' '))
    .join(', ');
}

/** A line for all messages with the same remedy, which begins with those of each cause. */
const causesLists = () =>
  Object.entries(causeAreas)
    .map(([area, causes]) => {
      const lines = [...Map.groupBy(causes, ({remedy}) => remedy)].map(([remedy, group]) => {
        const alike = [...Map.groupBy(group, ({cause}) => cause)].map(([cause, said]) => {
          const messages = said.map(({message}) => message.replace('{who}', '…'));
          return `**${capitalized(joined(messages))}**: ${cause}`;
        });
        return `- ${alike.join('; ')}. ${remedy}`;
      });
      return `### ${area}\n\n${lines.join('\n')}`;
    })
    .join('\n\n');

const policyExample = () => fenced('json', JSON.stringify(defaultPolicy, null, 2));

const frameExample = () =>
  fenced(
    'html',
    frameSnippet({
      applyUrl: 'https://leads.example.com/apply/acme',
      title: 'Funding estimate',
      firstScreen: 'steps',
    }),
  );

const tables: Tables = {
  settings: () => listsOf(settingGroups),
  fileKeys: () => listsOf(fileGroups),
  partners: partnersList,
  fields: fieldsList,
  problems: problemsList,
  amounts: amountsTable,
  policy: policyExample,
  causes: causesLists,
  frameSnippet: frameExample,
  ...commandTables,
  ...snippetTables,
  ...widgetTables,
};

const stale: string[] = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const fresh = await fillTables(file, text, tables);
  if (fresh !== text) stale.push(file);
  if (!process.argv.includes('--check')) writeFileSync(file, fresh);
}
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(`Stale tables in ${stale.join(', ')}: run "npm run docs".`);
  process.exit(1);
}
