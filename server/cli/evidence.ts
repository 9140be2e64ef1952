/** `lead-prequal evidence`: the keys with which statements about consents are signed. */
import {Command, Option} from 'commander';
import {
  evidenceKeyRow,
  listEvidenceKeys,
  markLeaked,
  renewEvidenceKey,
  type EvidenceKeyRow,
} from '../admin/evidence.ts';
import {jsonOption, readTime} from './options.ts';
import {printRows, timeOrNone, type Json, type Run} from './output.ts';
import {changingStore, readingStore} from './with-store.ts';

const listHelp = `
One key signs new leads. "kept" are those that sign statements of their own leads alone. Of one that is lost, only the public
part is there: its consents can be verified, but not signed again. One that the data key does not open is ignored.`;

export function evidenceCommand(run: Run): Command {
  const evidence = new Command('evidence').description(
    'say which keys sign the statements about consents, make a new one, or say that one leaked',
  );
  const saySigning = (signs: string) => run.write(`✓ ${signs} signs new leads\n`);
  evidence
    .command('list')
    .description('list the keys; those that are not ignored are published')
    .addOption(jsonOption(evidenceKeyRow))
    .addHelpText('after', listHelp)
    .action((json: Json) =>
      readingStore(run, async (admin) => {
        const head = ['key', 'state', 'signs since', 'proves nothing since'];
        await printRows(run, json, [await listEvidenceKeys(admin)], head, rowOf);
      }),
    );
  evidence
    .command('renew')
    .description('make a new key, which signs all new leads; servers take it within seconds')
    .action(() => changingStore(run, async (admin) => saySigning(await renewEvidenceKey(admin))));
  evidence
    .command('leaked')
    .description('publish that somebody else may have a key; if it signs new leads, make a new one')
    .argument('<kid>', 'the key, as "evidence list" shows it')
    .addOption(
      new Option('--since <day>', 'the day from which on it proves nothing')
        .argParser(readTime)
        .makeOptionMandatory(),
    )
    .action((kid: string, {since}: {since: number}) =>
      changingStore(run, async (admin) => saySigning(await markLeaked(admin, kid, since))),
    );
  return evidence;
}

const rowOf = ({kid, state, signs_since, leaked_since}: EvidenceKeyRow) => [
  ...[kid, state, timeOrNone(signs_since), timeOrNone(leaked_since)],
];
