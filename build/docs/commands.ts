/** docs/commands.md: each command, as its help has it but for examples. */
import {PassThrough} from 'node:stream';
import type {Command} from 'commander';
import {isChanging} from '../../server/admin/operations/operation.ts';
import {rowOf} from '../../server/admin/operations/table.ts';
import {timeForms} from '../../server/admin/times.ts';
import {loadCommands} from '../../server/cli/commands.ts';
import {createRun} from '../../server/cli/output.ts';
import {choicesFor} from '../../server/snippets/choices.ts';
import {capitalized, code, fenced, type Tables} from './markdown.ts';

const run = createRun({stdout: new PassThrough(), stderr: new PassThrough()});
const commands = (await loadCommands([]))
  .map((create) => create(run))
  .toSorted((one, other) => one.name().localeCompare(other.name()));

/** Options whose meaning the guide says once, for all commands. */
const common = ['--json', '--csv', '--dry-run', '--confirm', '--yes'];
/** What only help has: examples, and what the guide says once. */
const inHelpAlone = [/^Examples?:\n(?: .*\n)+/m, /^Exit status: .*\b2 the command line is wrong.*\n/m];

/** What the help says after usage and options. */
function helpAfter(command: Command): string {
  let help = '';
  command.configureOutput({writeOut: (text) => (help += text)}).outputHelp();
  const after = help.slice(command.helpInformation().length);
  return inHelpAlone.reduce((text, pattern) => text.replace(pattern, ''), after).trim();
}

/** What a command takes: each name, and the line that says what it is. */
type Inputs = ReadonlyMap<string, string>;

function inputsOf({registeredArguments, options}: Command): Inputs {
  const given = [
    ...registeredArguments
      .map((argument) => ({...argument, name: argument.name(), usage: argument.name()}))
      // The guide says once how a lead is named, and below, how times are written and what a dash reads.
      .filter(({name}) => name !== 'lead'),
    ...options
      .filter(({long}) => !common.includes(long ?? ''))
      .map((option) => ({...option, name: option.long ?? '', usage: option.flags}))
      .map((one) => ({...one, description: `${one.description}${one.mandatory ? ' (required)' : ''}`})),
  ];
  return new Map(
    given.map(({name, usage, description, argChoices: choices}) => {
      const what = description.replace(`: ${timeForms}`, '').replace('; - reads it from standard input', '');
      return [name, `- ${code(usage)}: ${what}${choices ? `: ${choices.map(code).join(', ')}` : ''}`];
    }),
  );
}

/** The lines that several commands of a group share: they stand once, before these commands. */
function sharedBy({commands}: Command): ReadonlySet<string> {
  const lines = commands.flatMap((each) => [...inputsOf(each).values()]);
  return new Set(lines.filter((line, index) => lines.indexOf(line) < index));
}

function factsOf(words: string, {options}: Command, above: readonly string[]): string {
  const row = rowOf(words);
  const confirm = row && isChanging(row) ? row.confirm : undefined;
  const also = [...above, ...common.filter((name) => options.some(({long}) => long === name))];
  return [
    also.length > 0 ? `Takes ${also.map(code).join(', ')}.` : '',
    confirm ? `Asks for the word ${code(confirm.word)}${confirm.when ? ' if no lead is named' : ''}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const choices = new Set(Object.keys(choicesFor()).map((name) => `--${name}`));

/** Options of a command whose names say it all, and what they are together. */
const together: Readonly<Record<string, [what: string, isOne: (name: string, line: string) => boolean]>> = {
  init: ['the answers', (_, line) => line.includes('<answer>')],
  'leads correct': ['what is right', (_, line) => line.includes('<text>')],
  'partners snippet': ['as on the [page of snippets](partners.md#snippets)', (name) => choices.has(name)],
};

/** Its usage, what it takes, and the rest. Arguments are in the usage, so only options are named again. */
function partsOf(command: Command, words: string, shared: ReadonlySet<string>): readonly string[] {
  const inputs = [...inputsOf(command)];
  const [what = '', isOne = () => false] = together[words] ?? [];
  const shown = inputs.filter((input) => isOne(...input));
  const own = inputs.filter((input) => !shared.has(input[1]) && !shown.includes(input));
  const above = inputs.filter(([name, line]) => shared.has(line) && name.startsWith('-'));
  const names = (of: typeof inputs) => of.map(([name]) => code(name)).join(', ');
  return [
    command.registeredArguments.length > 0
      ? code(`lead-prequal ${words} ${command.usage().replace('[options] ', '')}`)
      : '',
    [...own.map(([, line]) => line), shown.length > 0 ? `- ${names(shown)}: ${what}` : ''].join('\n'),
    factsOf(
      words,
      command,
      above.map(([name]) => name),
    ),
  ];
}

function sectionOf(
  command: Command,
  before: readonly string[] = [],
  sharedAbove: ReadonlySet<string> = new Set(),
): string {
  const words = [...before, command.name()];
  const name = words.join(' ');
  const help = helpAfter(command);
  const shared = sharedBy(command);
  const isGroup = command.commands.length > 0 && !rowOf(name);
  return [
    `${'#'.repeat(words.length + 1)} ${name}`,
    `${capitalized(command.description())}.`,
    ...(isGroup ? [] : partsOf(command, name, sharedAbove)),
    help && fenced('text', help),
    shared.size > 0 ? `What several of these take:\n\n${[...shared].join('\n')}` : '',
    ...command.commands.map((each) => sectionOf(each, words, shared)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export const commandTables: Tables = {
  commands: () => commands.map((command) => sectionOf(command)).join('\n\n'),
};
