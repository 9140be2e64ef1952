/** `lead-prequal evidence`: the keys with which statements about consents are signed. */
import {Command, Option} from 'commander';
import {z} from 'zod';
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

/** The key that signs new leads. */
const signing = z.object({signs: z.string()});

export function evidenceCommand(run: Run): Command {
  const evidence = new Command('evidence').description(
    'say which keys sign the statements about consents, make a new one, or say that one leaked',
  );
  evidence
    .command('list')
    .description('list the keys; those that are not ignored are published')
    .addOption(jsonOption(evidenceKeyRow))
    .action((json: Json) =>
      readingStore(run, async (admin) => {
        const head = ['key', 'state', 'signs since', 'proves nothing since'];
        await printRows(run, json, [await listEvidenceKeys(admin)], head, rowOf);
      }),
    );
  evidence
    .command('renew')
    .description('make a new key, which signs all new leads; servers take it within seconds')
    .addOption(jsonOption(signing))
    .action((json: Json) =>
      changingStore(run, async (admin) => printSigning(run, json, await renewEvidenceKey(admin))),
    );
  evidence
    .command('leaked')
    .description('publish that somebody else may have a key; if it signs new leads, make a new one')
    .argument('<kid>', 'the key, as "evidence list" shows it')
    .addOption(
      new Option('--since <day>', 'the day from which on nothing that it signed proves anything')
        .argParser(readTime)
        .makeOptionMandatory(),
    )
    .addOption(jsonOption(signing))
    .action((kid: string, {since, ...json}: {since: number} & Json) =>
      changingStore(run, async (admin) => printSigning(run, json, await markLeaked(admin, kid, since))),
    );
  return evidence;
}

const words = {
  signs: 'signs new leads',
  kept: 'signs for its own leads',
  lost: 'cannot sign: its private part is lost',
  ignored: 'ignored: the data key does not open it',
} as const satisfies Record<EvidenceKeyRow['state'], string>;

const rowOf = ({kid, state, signs_since, leaked_since, consents}: EvidenceKeyRow) => [
  kid,
  consents === null ? words[state] : `${words[state]} (consents: ${consents})`,
  timeOrNone(signs_since),
  timeOrNone(leaked_since),
];

const printSigning = ({print, write}: Run, {json}: Json, signs: string) =>
  json ? print({signs}) : write(`✓ ${signs} signs new leads\n`);
