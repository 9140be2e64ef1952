/** `lead-prequal reload`: asks all servers on the store to read their configuration again, and says what each answers. */
import {setTimeout as sleep} from 'node:timers/promises';
import {Command, InvalidArgumentError, Option} from 'commander';
import type {Config} from '../config/config.ts';
import type {BesideStore} from '../leads/lead-store.ts';
import {goneAfter, newRequest, type ProcessReport} from '../reload/reloads.ts';
import {jsonOption, printable, type Run} from './output.ts';
import {changingStore} from './with-store.ts';

const usage = `
Each server reads its own files: partners, destinations, callers, policy, and every setting that stands in a file
(..._FILE). A file that is wrong changes nothing. Settings in the environment of a server, its addresses, ports and
database need a restart; the answer names those that have changed.

What would erase leads or consents earlier than now, or store new leads in clear, is refused without --shorten, because what
is erased cannot be brought back. "lead-prequal config check" says beforehand what that is. SIGHUP never takes it.

This command reads the configuration first, as the user of the server, in the same folder and with the same settings: if it
is wrong here, nobody is asked. A server that gets SIGHUP reads its configuration, too, and it alone.

Each server is one line: ✓ has in force what it read, ✗ refused it or did not answer. ! is a warning. The exit status is 1
with a ✗, and if two servers have different configurations in force. A server that was killed counts as one that does not
answer for a minute.`;

/** The maximum number of changes that are shown for each server. The log has all of them. */
const maxChanges = 20;
/** Milliseconds between two reads of the store. */
const pollInterval = 100;

type Answer = {report: ProcessReport; state: 'reloaded' | 'refused' | 'silent'; needRestart: string[]};

export const reloadCommand = (run: Run): Command =>
  new Command('reload')
    .description('make all servers read their configuration again, without a restart')
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for the answers').default(15).argParser(readSeconds),
    )
    .option('--shorten', 'also take what keeps leads or consents for a shorter time, or ends sealing')
    .addOption(jsonOption())
    .addHelpText('after', usage)
    .action(({wait, shorten = false, json = false}: {wait: number; shorten?: boolean; json?: boolean}) =>
      changingStore(run, async (store, config) => {
        const answers = await ask(store, config, newRequest(shorten), wait * 1_000);
        if (answers.length === 0) return run.fail('No server runs on this store');
        const digests = new Set(answers.map(({report}) => report.digest));
        if (answers.some(({state}) => state !== 'reloaded') || digests.size > 1) run.status = 1;
        for (const answer of answers) await (json ? run.print(toJsonLine(answer)) : print(run, answer, wait));
        if (digests.size > 1)
          run.say('The servers have different configurations in force: compare their files.');
      }),
    );

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= 3_600) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.');
}

/** Resolves when all servers have answered, or the time is over. A server that stops meanwhile is left out. */
async function ask(store: BesideStore, config: Config, request: string, patience: number): Promise<Answer[]> {
  const end = performance.now() + patience;
  await store.askForReload(request);
  for (;;) {
    const reports = await store.processes(Date.now() - goneAfter);
    if (reports.every((one) => one.request === request) || performance.now() > end)
      return reports.map((report) => {
        if (report.request !== request) return {report, state: 'silent', needRestart: []};
        const state = report.faults.length > 0 ? 'refused' : 'reloaded';
        return {report, state, needRestart: state === 'refused' ? [] : changedSettings(report, config)};
      });
    await sleep(pollInterval);
  }
}

/** What the server cannot read again, and has another value than this command. */
function changedSettings({needRestart, environment}: ProcessReport, {environment: own}: Config): string[] {
  const differs = (name: string) => environment[name] !== own[name];
  // The token key is the key of these digests: with another one, all of them differ.
  const names = differs('TOKEN_KEY') ? ['TOKEN_KEY'] : Object.keys({...environment, ...own}).filter(differs);
  return [...new Set([...needRestart, ...names])];
}

const toJsonLine = ({report, state, needRestart}: Answer) => ({
  server: report.name,
  state,
  digest: report.digest,
  changes: state === 'reloaded' ? report.changes : [],
  faults: state === 'refused' ? report.faults : [],
  need_restart: needRestart,
});

const indented = (text: string) => `  ${printable(text)}`;

async function print({write}: Run, {report, state, needRestart}: Answer, wait: number) {
  const {changes, faults} = report;
  const [name, digest] = [printable(report.name), printable(report.digest)];
  const listed = [
    ...changes.slice(0, maxChanges),
    ...(changes.length > maxChanges ? [`and ${changes.length - maxChanges} more`] : []),
  ];
  const lines = {
    reloaded: [`✓ ${name} has ${digest} in force`, ...listed.map(indented)],
    refused: [`✗ ${name} refused what it read, and keeps ${digest}:`, ...faults.map(indented)],
    silent: [`✗ ${name} did not answer within ${wait} s, and had ${digest} in force`],
  }[state];
  if (needRestart.length > 0)
    lines.push(`! ${name} needs a restart for ${printable(needRestart.join(', '))}`);
  await write(lines.map((line) => `${line}\n`).join(''));
}
