/** Lists the versions of the form, and whose pages still request them. */
import {z} from 'zod';
import {elementName} from '../../../contract/api.ts';
import {listVersionUse, maxDays, partnersOf, versionRow, type VersionRow} from '../versions.ts';
import {counted} from '../words.ts';
import {reads, type Group} from './operation.ts';

const kinds: Readonly<Record<VersionRow['kind'], string>> = {
  release: 'release',
  build: 'build',
  moving: 'moves',
  gone: 'not here any more',
};
const stateOf = ({kind, serves, newest, withdrawn, security}: VersionRow) =>
  [
    serves === null ? kinds[kind] : `is now ${serves}`,
    newest ? 'newest' : '',
    withdrawn ? 'WITHDRAWN' : '',
    security ? 'SECURITY FAULT' : '',
  ].filter(Boolean);

const script = `${elementName}.js`;
const whole = `It must be a whole number from 1 to ${maxDays}.`;

const list = reads({
  words: 'versions list',
  what: 'list all versions, the highest number first, and the pages that ask for them',
  fields: {
    days: {
      schema: z.coerce.number(whole).int(whole).min(1, whole).max(maxDays, whole).default(30),
      what: `count the requests of so many days, ${maxDays} at most (default: 30)`,
      value: 'number',
    },
  },
  line: versionRow,
  counted: ['version'],
  columns: [
    'version',
    ['state', stateOf],
    'requests',
    ['last asked', 'last_asked'],
    ['partners', (row) => partnersOf(row).join(' ')],
    ['origins', ({origins}) => origins.map(({origin, requests}) => `${origin} (${requests})`).join(' ')],
    [`integrity of ${script}`, ({integrity}) => integrity?.[script]],
  ],
  async *read(admin, {days}) {
    const {rows, notes} = await listVersionUse(admin, {days});
    yield rows;
    return {remarks: [`Requests of the last ${counted(days, 'day')}, in UTC.`, ...notes]};
  },
});

export const versions: Group = {
  name: 'versions',
  what: 'list the versions of the form, and whose pages ask for them',
  help: `A browser keeps an exact version for a year, so there are fewer requests than visits. Pages whose origin no partner lists
are "other", the server's own (such as apply pages) "own", and pages that tell no origin "unknown".

Examples:
  lead-prequal versions list                 which versions there are, and who asked for them in the last 30 days
  lead-prequal versions list --days 7        who asked for them in the last 7 days
  lead-prequal versions list --json          the same for programs, with the hashes of all first files`,
  rows: [list],
};
