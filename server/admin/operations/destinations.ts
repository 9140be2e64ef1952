/** The destinations: lists, tests, pauses and resumes them, and accepts their new addresses. */
import {openStates} from '../../leads/deliveries.ts';
import {withRemedy} from '../../observe/causes.ts';
import {
  acceptAddress,
  destinationRow,
  listDestinations,
  pauseDestination,
  resumeDestination,
  testDestination,
  testOutcome,
  wrongOf,
  type DestinationRow,
} from '../destinations.ts';
import {ago, counted, dayOf} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads, type Columns, type Group} from './operation.ts';

/** The columns for the state of a destination. `lead-prequal status` shows the same. */
export const stateColumns: Columns<DestinationRow> = [
  'state',
  'since',
  ['last success', 'last_success_at'],
  ...openStates,
  ['oldest', ({oldest_created_at: at}) => at !== null && ago(Date.parse(at))],
];

/** Such as `crm.example.com since 2026-05-01`, and `formerly old.example.com until 2026-04-30`. */
function usedAddress({place, is_present, first_used_at, last_used_at}: DestinationRow['addresses'][number]) {
  if (first_used_at === null || last_used_at === null) return `${place}, not used yet`;
  return is_present
    ? `${place} since ${dayOf(first_used_at)}`
    : `formerly ${place} until ${dayOf(last_used_at)}`;
}

const list = reads({
  words: 'destinations list',
  what: 'list all destinations: whether they take their deliveries, and the number of those in the outbox by state',
  roles: ['viewer', 'agent', 'admin'],
  past: 'looked at the destinations',
  fields: {},
  line: destinationRow,
  counted: ['destination'],
  columns: [
    'destination',
    'type',
    ...stateColumns,
    ['what went wrong', (row) => withRemedy(wrongOf(row))],
    ['addresses', ({addresses}) => addresses.map(usedAddress).join('; ')],
  ],
  read: listDestinations,
});

const name = field.argument('the name of the destination');
const why = field.reason('why, for other operators');
const admins = ['admin'] as const;

const test = changes({
  words: 'destinations test',
  what: 'send a made-up lead that is marked as a test, and say in words what came back',
  help: 'A lead-api gets no lead: it is asked for one that it cannot have.',
  roles: admins,
  past: 'sent a test to {destination}',
  opens: 'nothing',
  fields: {name},
  onList: {list: 'destinations', button: 'Send a test', input: (name) => ({name})},
  run: async (admin, {name}) => {
    await admin.noteAccess({destination: name});
    return testDestination(admin.config, name);
  },
  line: testOutcome,
  said({works, said, reply, remedy, milliseconds}, {name}) {
    const words = [`${name}: ${said} (after ${milliseconds} ms).${remedy === null ? '' : ` ${remedy}`}`];
    const began = reply ? [`Its reply begins with: ${reply}`] : [];
    return works ? {said: [...words, ...began]} : {fails: [...words, ...began]};
  },
});

const pause = changes({
  words: 'destinations pause',
  what: 'send nothing to a destination until it is resumed; its deliveries wait',
  roles: admins,
  past: 'paused {destination}',
  fields: {
    name,
    reason: {...why, schema: why.schema.default('an operator paused it')},
  },
  asked: {reason: "Why? The server's log has it, too: name nobody."},
  onList: {
    list: 'destinations',
    button: 'Pause…',
    isShown: (state) => state !== 'paused',
    input: (name) => ({name}),
  },
  run: (admin, {name, reason}) => pauseDestination(admin, name, reason),
  said: (_, {name}) => ({
    said: [`${name} is paused. "lead-prequal destinations resume ${name}" sends what waits.`],
  }),
});

const resume = changes({
  words: 'destinations resume',
  what: 'send to a paused destination again, beginning with what waits for it; one that has a break is tried at once',
  roles: admins,
  past: 'resumed {destination}',
  fields: {name},
  onList: {
    list: 'destinations',
    button: 'Resume',
    isShown: (state) => state !== 'ok',
    input: (name) => ({name}),
  },
  run: (admin, {name}) => resumeDestination(admin, name),
  said: (wasPaused, {name}) => ({
    said: [
      wasPaused
        ? `${name} is resumed, and what waits is sent.`
        : `${name} was not paused. If it had a break, that is ended, and what waits is sent.`,
    ],
  }),
});

const accept = changes({
  words: 'destinations accept',
  what: 'send what was stored for another address or type of a destination, and is held, to the one of now',
  help: 'Reload the servers first. "lead-prequal deliveries drop" drops what must not go to the new address.',
  past: 'let deliveries go to the new address of {destination}',
  fields: {name},
  run: (admin, {name}) => acceptAddress(admin, name),
  said: (many, {name}) => ({
    said: [`${counted(many, 'delivery goes', 'deliveries go')} to the address that ${name} has now.`],
  }),
});

export const destinations: Group = {
  name: 'destinations',
  what: 'list, test, pause, resume and accept the destinations to which leads go',
  help: `Examples:
  lead-prequal destinations list             what there is, what waits, what failed
  lead-prequal destinations test crm         send a test to crm, and say what came back
  lead-prequal destinations pause crm        send nothing to crm until it is resumed
  lead-prequal destinations resume crm       go on, with everything that came meanwhile
  lead-prequal destinations accept crm       send to its new address what came before it had that`,
  rows: [list, test, pause, resume, accept],
};
