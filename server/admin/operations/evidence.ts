/** The keys with which statements about consents are signed. */
import {z} from 'zod';
import {evidenceKeyRow, listEvidenceKeys, markLeaked, renewEvidenceKey} from '../evidence.ts';
import {readTime} from '../times.ts';
import * as field from './fields.ts';
import {changes, reads, type Group} from './operation.ts';

const list = reads({
  words: 'evidence list',
  what: 'list the keys; those that are not ignored are published',
  help: `One key signs new leads. "kept" are those that sign statements of their own leads alone. Of one that is lost, only the public
part is there: its consents can be verified, but not signed again. One that the data key does not open is ignored.`,
  fields: {},
  line: evidenceKeyRow,
  counted: ['key'],
  columns: [
    ['key', 'kid'],
    'state',
    ['signs since', 'signs_since'],
    ['proves nothing since', 'leaked_since'],
  ],
  read: listEvidenceKeys,
});

const signing = {
  line: z.object({signs: z.string()}),
  said: ({signs}: {signs: string}) => ({said: [`✓ ${signs} signs new leads`]}),
};

const renew = changes({
  words: 'evidence renew',
  what: 'make a new key, which signs all new leads; servers take it within seconds',
  past: 'made a new key for statements about consents',
  fields: {},
  run: async (admin) => ({signs: await renewEvidenceKey(admin)}),
  ...signing,
});

const leaked = changes({
  words: 'evidence leaked',
  what: 'publish that somebody else may have a key; if it signs new leads, make a new one',
  help: 'A key that begins with a dash stands last, behind --, so that it is no option.',
  past: 'published that a key for statements about consents leaked',
  fields: {
    kid: field.argument('the key, as "evidence list" shows it'),
    since: {schema: field.parsedBy(readTime), what: 'the day from which on it proves nothing', value: 'day'},
  },
  run: async (admin, {kid, since}) => ({signs: await markLeaked(admin, kid, since)}),
  ...signing,
});

export const evidence: Group = {
  name: 'evidence',
  what: 'say which keys sign the statements about consents, make a new one, or say that one leaked',
  rows: [list, renew, leaked],
};
