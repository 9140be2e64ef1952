/** The data keys: lists those in use, encrypts everything with the first one of DATA_KEY, and notes which are saved or lost. */
import {z} from 'zod';
import {referenceOf} from '../../../contract/reference.ts';
import {clearWord} from '../../config/data-keys.ts';
import {
  forgetLostKey,
  fromDay,
  keyName,
  keyRow,
  listKeys,
  noteSaved,
  planForgetting,
  rotateKeys,
  rotation,
  savedKey,
  type KeyRow,
} from '../keys.ts';
import {counted} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads, type Columns, type Group} from './operation.ts';
import {notOutOfFiles} from './progress.ts';

/** The words for the role of a key, by its position in DATA_KEY. */
function placeOf({key, listed, seals}: KeyRow) {
  if (key === clearWord) return 'no: a server encrypts it';
  if (seals) return 'first: it encrypts';
  return listed ? 'decrypts' : 'no';
}
const wayOut = (key: string) =>
  `Data is encrypted with ${key}, which DATA_KEY lacks, so no server starts: put the key back, behind the new one if there is one. If no copy of it is left, "lead-prequal keys forget ${key}" erases what is encrypted with it.`;

const status = reads({
  words: 'keys status',
  what: 'list the data keys that are in use, and which server encrypts with which',
  help: `A key is shown by its check value. "clear" is data of a version before 2.0, which a server encrypts by itself.

Exit status: 0; 1 if DATA_KEY lacks a key that is in use, so that no server starts. It says the way out.`,
  opens: 'store without its keys',
  fields: {count: field.flag('how much is stored under each key; reads all leads')},
  line: keyRow,
  counted: ['key'],
  columns: ({count}): Columns<KeyRow> => [
    'key',
    ['in use since', ({in_use_since}) => in_use_since ?? 'not in use'],
    ['in DATA_KEY', placeOf],
    ['may leave from', 'may_leave_at'],
    ...(count ? (['rows'] as const) : []),
    ['servers that encrypt with it', 'servers'],
  ],
  async *read(admin, {count = false}) {
    const keys = await listKeys(admin, {isCounted: count});
    yield keys;
    return {
      fails: keys
        .filter(({key, listed, in_use_since: since}) => !listed && since !== null && key !== clearWord)
        .map(({key}) => wayOut(key)),
    };
  },
});

const rotate = changes({
  words: 'keys rotate',
  what: 'encrypt everything with the first key of DATA_KEY',
  help: `Run it when all servers have the new key first: it refuses while one encrypts with another. It works while servers run, and may
be stopped and begun again. At its end, it says when the other keys can leave DATA_KEY. docs/privacy.md has the steps.

Exit status: 0 everything is encrypted with the first key; 1 not everything, or not at all; 2 the command line is wrong.`,
  fields: {},
  run: (admin) => rotateKeys(admin),
  line: rotation,
  said({key, resealed, unreadable, forgotten, may_leave_at, out_of_files}, _, {config}) {
    const {dataKeys, databaseUrl} = config;
    const others = dataKeys.slice(1).map(keyName);
    const leave =
      others.length > 0
        ? `. This can leave DATA_KEY in all servers${fromDay(may_leave_at)}: ${others.join(', ')}`
        : '';
    return {
      said: [
        unreadable.length === 0 &&
          `✓ Everything is encrypted with ${key}: ${counted(resealed, 'row')} of it now${leave}`,
      ],
      remarks: [
        databaseUrl !== undefined &&
          resealed + forgotten.length > 0 &&
          'PostgreSQL keeps the rows of before in its files, also after VACUUM, until it writes something else in their place. "VACUUM FULL sealed, person_search, evidence_keys" makes the files anew, and locks each table meanwhile. The rows of before stay in the log (WAL), in dumps and in other backups (docs/privacy.md).',
      ],
      fails: [
        ...unreadable.map((id) => `✗ Something of the lead ${id} cannot be read, and stays as it is`),
        unreadable.length > 0 &&
          `! ${counted(resealed, 'row')} encrypted with ${key}. The keys of before are still needed: leave them in DATA_KEY`,
        !out_of_files && notOutOfFiles('keys rotate'),
      ],
    };
  },
});

const saved = changes({
  words: 'keys saved',
  what: 'note that the first key of DATA_KEY is copied to a safe place',
  help: 'The place must be apart from the backups. Until then, "status" warns where the server has made the key itself.',
  past: 'said that the data key {key} is copied to a safe place',
  fields: {},
  run: (admin) => noteSaved(admin),
  line: savedKey,
  said: ({key}) => ({said: [`✓ noted: the data key ${key} is copied to a safe place`]}),
});

const forget = changes({
  words: 'keys forget',
  what: 'erase what is encrypted with a key that is lost',
  help: `It says first how much that is, and may be stopped and begun again. docs/privacy.md has the steps.

Exit status: 0 forgotten; 1 not, or not out of the files yet; 2 the command line is wrong, or nobody can be asked.`,
  opens: 'store without its keys',
  past: 'erased {it}, whose key was lost',
  planned: 'asked what a lost key takes with it',
  fields: {
    key: {...field.argument('the check value of the key'), schema: z.string().toLowerCase()},
  },
  confirm: {word: 'erase'},
  async plan(admin, {key}) {
    const lost = await planForgetting(admin, key);
    const {leads, consents, evidence_keys, person_key, suppressed} = lost;
    const many = `${counted(leads.length, 'lead')}, and ${counted(consents.length, 'kept consent')} of erased leads`;
    return {
      does: [
        `Encrypted with ${key}, and lost: ${many}.`,
        'Webhooks, chat rooms and mailboxes are told to delete the leads, too. They may have the last copy: save first what you need.',
        person_key && 'The key of the blind indexes is lost, too: a server makes it and the digests anew.',
        evidence_keys.length > 0 &&
          `The keys of statements about consents are lost, too: those that were sent cannot be verified any more, unless the list of public keys was kept (docs/consent.md): ${evidence_keys.join(', ')}.`,
        suppressed > 0 &&
          `${counted(suppressed, 'number')} of people who revoked their consent can no longer be recognised: new leads with them are not held.`,
      ],
      facts: [key, ...leads, ...consents],
      prepared: lost,
      question: `erase ${many} for ever`,
    };
  },
  async *run(admin, _, lost) {
    return {...lost, ...(yield* forgetLostKey(admin, lost))};
  },
  said: ({key, leads, consents, out_of_files}) => ({
    said: [
      ...[...leads, ...consents].map((id) => `${referenceOf(id)} (${id}) erased`),
      out_of_files && `✓ ${key} is forgotten: servers start without it`,
    ],
    fails: [!out_of_files && notOutOfFiles(`keys forget ${key}`)],
  }),
});

export const keys: Group = {
  name: 'keys',
  what: 'say which data keys are in use, or encrypt with another one',
  rows: [status, rotate, saved, forget],
};
