/** docs/commands.md: each command, as its help has it, with who can do the same on the pages, and how the audit tells it. */
import {PassThrough} from 'node:stream';
import type {Command} from 'commander';
import {templateOf} from '../../server/admin/audit-words.ts';
import {isChanging} from '../../server/admin/operations/operation.ts';
import {rowOf} from '../../server/admin/operations/table.ts';
import {timeForms} from '../../server/admin/times.ts';
import {loadCommands} from '../../server/cli/commands.ts';
import {createRun} from '../../server/cli/output.ts';
import {routes} from '../../server/pages/routes.ts';
import {capitalized, code, fenced, type Tables} from './markdown.ts';

const run = createRun({stdout: new PassThrough(), stderr: new PassThrough()});
const commands = (await loadCommands([]))
  .map((create) => create(run))
  .toSorted((one, other) => one.name().localeCompare(other.name()));

/** Options whose meaning the guide says once, for all commands. */
const common = ['--json', '--dry-run', '--confirm', '--yes'];

/** What the help says after usage and options. */
function helpAfter(command: Command): string {
  let help = '';
  command.configureOutput({writeOut: (text) => (help += text)}).outputHelp();
  return help.slice(command.helpInformation().length).trim();
}

function inputsOf({registeredArguments, options}: Command): string {
  const given = [
    ...registeredArguments.map((argument) => ({...argument, usage: argument.name()})),
    ...options
      .filter(({long}) => !common.includes(long ?? ''))
      .map((option) => ({...option, usage: option.flags})),
  ];
  return given
    .map(({usage, description, argChoices: choices}) => {
      // The guide says once how times are written.
      const what = description.replace(`: ${timeForms}`, '');
      return `- ${code(usage)}: ${what}${choices ? `: ${choices.map(code).join(', ')}` : ''}`;
    })
    .join('\n');
}

const places = {destinations: 'a destination', operators: 'somebody'};

/** Who can do it on the operators' pages, and by which button. */
function onPages(words: string): string {
  const own = routes.filter(({action}) => action === words);
  if (own.length === 0) return '';
  const roles = [...new Set(own.flatMap((route) => route.roles))].map(code).join(', ');
  const row = rowOf(words);
  const {onLead, onList, passkey = false} = row && isChanging(row) ? row : {};
  const button = onLead
    ? `, by “${onLead.button}” of a lead`
    : onList && `, by “${onList.button}” of ${places[onList.list]}`;
  return `On the pages: ${roles}${button ?? ''}${passkey ? ', with a passkey' : ''}.`;
}

/** How the audit tells that it was done, and that it was planned alone. */
function inAudit(words: string): string {
  const row = rowOf(words);
  if (row && row.past === undefined) return '';
  const sentences = [{}, {plan: 'shown'}].map((filter) => templateOf({action: words, filter}));
  if (sentences[0] === words) return '';
  return `In the audit: ${[...new Set(sentences)].map((text) => `“${text.replace(/\{\w+\}/g, '…')}”`).join(', or ')}.`;
}

function factsOf(words: string, {options}: Command): string {
  const row = rowOf(words);
  const confirm = row && isChanging(row) ? row.confirm : undefined;
  const also = common.filter((name) => options.some(({long}) => long === name));
  return [
    also.length > 0 ? `Takes ${also.map(code).join(', ')}.` : '',
    confirm ? `Asks for the word ${code(confirm.word)}${confirm.when ? ' if no lead is named' : ''}.` : '',
    onPages(words),
    inAudit(words),
  ]
    .filter(Boolean)
    .join(' ');
}

function sectionOf(command: Command, before: readonly string[] = []): string {
  const words = [...before, command.name()];
  const name = words.join(' ');
  const help = helpAfter(command);
  return [
    `${'#'.repeat(words.length + 1)} ${name}`,
    `${capitalized(command.description())}.`,
    ...(command.commands.length > 0 && !rowOf(name)
      ? []
      : [code(`lead-prequal ${name} ${command.usage()}`), inputsOf(command), factsOf(name, command)]),
    help && fenced('text', help),
    ...command.commands.map((each) => sectionOf(each, words)),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export const commandTables: Tables = {
  commands: () => commands.map((command) => sectionOf(command)).join('\n\n'),
};
