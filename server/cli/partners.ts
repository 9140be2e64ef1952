/** `lead-prequal partners`, with the snippets that they paste into their pages. */
import {Command, Option} from 'commander';
import {z} from 'zod';
import {contextPrefix, type Context} from '../../contract/embed.ts';
import {tableOf} from '../../contract/table-of.ts';
import {context} from '../admin/operations/fields.ts';
import {partners} from '../admin/operations/partners.ts';
import {partnerNamed} from '../admin/partners.ts';
import {configuredVersions} from '../admin/versions.ts';
import {readConfig, type Config} from '../config/config.ts';
import {choicesFor, readChoices, type Choice} from '../snippets/choices.ts';
import {blocksOf, platformNames, platforms, type Platform, type PlatformName} from '../snippets/platforms.ts';
import {notARelease, noVersionForSnippets, snippetParts, versionForSnippets} from '../snippets/parts.ts';
import {receiverWarning} from '../snippets/receiver.ts';
import {addFields, groupCommand, inputOf, jsonOption} from './operate.ts';
import type {Json, Run} from './output.ts';

function snippetCommand(run: Run): Command {
  const command = new Command('snippet')
    .description('print what a partner pastes; what to do with it goes to standard error')
    .argument('<key>', 'the key of the partner')
    .addOption(new Option('--host <name>', 'where the form goes').choices(platformNames).default('html'))
    .addOption(jsonOption(snippetShape))
    .option('--newest', 'let the form move on to each new version by itself, without a hash');
  addFields(command, fields);
  for (const [name, choice] of choicesOfCommand) command.addOption(optionOf(name, choice));
  return command.action(async (key: string, options: Options) => {
    const {context = {}} = (await inputOf(command, run, fields)).input;
    await snippet(run, readConfig(run.environment), key, options, context);
  });
}

export const partnersCommand = groupCommand(partners, snippetCommand);

const fields = {
  context: context(
    'a hidden field that goes along with each lead (context_fields); may be given several times',
  ),
};

/** The choice of the version is the option `--newest`, and hidden fields are the option `--context`. */
const choicesOfCommand = Object.entries(choicesFor()).filter(([name]) => name !== 'version');

function optionOf(name: string, {label, control, help}: Choice): Option {
  const description = [label, help].filter(Boolean).join('. ');
  if (control.kind === 'checkbox') return new Option(`--${name}`, description);
  if (control.kind !== 'select') return new Option(`--${name} <value>`, description);
  const values = Object.keys(control.options);
  // An option without a value means `on`.
  const value = values.includes('on') ? '[value]' : '<value>';
  return new Option(`--${name} ${value}`, `${description} (${values.join(', ')})`);
}

type Options = Json & {host: PlatformName; newest?: boolean} & Record<string, unknown>;

/** `lead-type` is `leadType` among the options of commander. */
const optionName = (name: string) => new Option(`--${name}`).attributeName();

/** `warning` is missing if there is nothing to warn of */
const snippetShape = z.object({
  ...tableOf(['partner', 'host', 'name', 'version'], () => z.string()),
  warning: z.string().exactOptional(),
  steps: z.array(z.string()),
  blocks: z.array(z.object(tableOf(['title', 'language', 'code'], () => z.string()))),
});

async function snippet(
  {print, write, say, fail}: Run,
  config: Config,
  key: string,
  options: Options,
  hiddenFields: Context,
) {
  const partner = partnerNamed(key, config);
  const version = versionForSnippets(configuredVersions(config));
  if (!version) return fail(noVersionForSnippets);
  const chosen = Object.fromEntries(
    choicesOfCommand.map(([name]) => {
      const value = options[optionName(name)];
      return [name, value === true ? 'on' : value];
    }),
  );
  const listed = partner.contextFields.map(({name}) => name);
  const given = Object.entries(hiddenFields);
  const hidden = Object.fromEntries(given.map(([name, value]) => [`${contextPrefix}${name}`, value]));
  const pinning = options.newest ? 'newest' : 'pinned';
  const {choices, faults} = readChoices({...chosen, ...hidden, version: pinning}, partner);
  const known = listed.join(', ') || 'none';
  const wrong = [
    ...given
      .filter(([name]) => !listed.includes(name))
      .map(([name]) => `--context ${name} is not one of ${key}'s context_fields (${known}).`),
    ...Object.entries(faults).map(([name, why]) => `--${name.replace(contextPrefix, 'context ')} ${why}.`),
  ];
  if (wrong.length > 0) return fail(wrong.join('\n'));

  const platform: Platform = platforms[options.host];
  const {name, steps} = platform;
  const parts = snippetParts(config, version, partner, choices);
  const made = blocksOf(options.host, parts);
  const warning = receiverWarning(options.host, parts);
  if (options.json)
    return print({
      partner: key,
      host: options.host,
      name,
      version: version.name,
      ...(warning !== undefined && {warning}),
      steps,
      blocks: made,
    });
  if (warning !== undefined) say(`Warning: ${warning}\n`);
  say([`${name}:`, ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n'));
  for (const [index, {title, code}] of made.entries()) {
    say(`\n${title}:\n`);
    await write(`${index > 0 ? '\n' : ''}${code}\n`);
  }
  const note = notARelease(version);
  if (note !== undefined) say(`\n${note}`);
}
