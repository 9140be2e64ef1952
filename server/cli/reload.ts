/** `lead-prequal reload`: asks all servers on the store to read their configuration again, and says what each answers. */
import {Command, InvalidArgumentError} from 'commander';
import {reloadAnswer, reloadServers, type ReloadAnswer} from '../admin/reloading.ts';
import {inOneLine} from '../admin/status.ts';
import {printable} from '../admin/visible.ts';
import {leadDoubts} from '../leads/lead-doubts.ts';
import {jsonOption} from './operate.ts';
import type {Json, Run} from './output.ts';
import {withStore} from './with-store.ts';

const usage = `
Each server reads its own files. One that is wrong changes nothing, and if it is wrong here, no server is asked. What needs a
restart is named. What would erase leads or consents earlier than now is refused without --shorten.

✓ has in force what it read, ✗ refused it or did not answer (also, for a minute, a server that was killed), and ! is a warning.
The exit status is 1 with a ✗, and if two servers have different configurations in force.`;

/** The maximum number of changes that are shown for each server. The log has all of them. */
const maxChanges = 20;

export const reloadCommand = (run: Run): Command =>
  new Command('reload')
    .description('make all servers read their configuration again, without a restart')
    .option('--wait <seconds>', 'how long to wait for the answers', readSeconds, 15)
    .option('--shorten', 'also take what keeps leads or consents for a shorter time')
    .addOption(jsonOption(reloadAnswer))
    .addHelpText('after', usage)
    .action(({wait, shorten = false, json = false}: {wait: number; shorten?: boolean} & Json) =>
      withStore(run, {mayWrite: true}, async (admin) => {
        const asked = {mayShorten: shorten, wait: wait * 1_000};
        const answers = await reloadServers(admin, asked);
        if (answers.length === 0) return run.fail('No server runs on this store');
        const digests = new Set(answers.map(({digest}) => digest));
        if (answers.some(({state}) => state !== 'reloaded') || digests.size > 1) run.status = 1;
        for (const answer of answers) await (json ? run.print(answer) : print(run, answer, wait));
        for (const doubt of leadDoubts(admin.config, await admin.store.consentTexts()))
          run.say(`! ${printable(inOneLine(doubt))}`);
        if (digests.size > 1)
          run.say('The servers have different configurations in force: compare their files.');
      }),
    );

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= 3_600) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.');
}

const indented = (text: string) => `  ${printable(text)}`;

async function print({write}: Run, answer: ReloadAnswer, wait: number) {
  const {state, changes, faults, need_restart} = answer;
  const [name, digest] = [printable(answer.server), printable(answer.digest)];
  const listed = [
    ...changes.slice(0, maxChanges),
    ...(changes.length > maxChanges ? [`and ${changes.length - maxChanges} more`] : []),
  ];
  const lines = {
    reloaded: [`✓ ${name} has ${digest} in force`, ...listed.map(indented)],
    refused: [`✗ ${name} refused what it read, and keeps ${digest}:`, ...faults.map(indented)],
    silent: [`✗ ${name} did not answer within ${wait} s, and had ${digest} in force`],
  }[state];
  if (need_restart.length > 0)
    lines.push(`! ${name} needs a restart for ${printable(need_restart.join(', '))}`);
  await write(lines.map((line) => `${line}\n`).join(''));
}
