/** The receivers of a history, in place of undici's pools and nodemailer's transports. */
import {Readable} from 'node:stream';
import type {NodemailerError} from 'nodemailer';
import type {Dispatcher} from 'undici';
import type {Network} from '../../server/destinations/network.ts';
import {draw, later, theWorld, time, type Process} from './clock.ts';
import type {Creation, Outcome, Request} from './history.ts';

/**
 * What becomes of a request. What it says nothing of is answered soon, and as the API says.
 * - `arrives`: the receiver has it
 * - `status` and `body`: of the reply
 * - `error`: the code of the error that the sender gets instead of a reply
 * - `isSilent`: there is no reply, and the connection stays open
 * - `slow`: milliseconds that the way there and back take, at most
 */
type Fate = {
  arrives: boolean;
  outcome: Outcome;
  status?: number;
  body?: string;
  error?: string;
  isSilent?: true;
  slow?: readonly [there: number, back: number];
};

const fates = {
  'all is well': {arrives: true, outcome: 'taken'},
  'a slow reply': {arrives: true, outcome: 'taken', slow: [2_000, 2_500]},
  'a very slow reply': {arrives: true, outcome: 'taken', slow: [0, 9_500]},
  'the reply is lost': {arrives: true, outcome: 'unclear', error: 'UND_ERR_SOCKET'},
  'the request is lost': {arrives: false, outcome: 'unclear', error: 'UND_ERR_SOCKET'},
  'silence, but taken': {arrives: true, outcome: 'unclear', isSilent: true},
  silence: {arrives: false, outcome: 'unclear', isSilent: true},
  'an error, but taken': {arrives: true, outcome: 'unclear', status: 500},
  'an error': {arrives: false, outcome: 'unclear', status: 500},
  'a gateway without the receiver': {arrives: false, outcome: 'unclear', status: 502},
  'an unreadable reply': {arrives: true, outcome: 'unclear', status: 201, body: '{"id":'},
  'taken before': {arrives: true, outcome: 'unclear', status: 409},
  'no connection': {arrives: false, outcome: 'turned-away', error: 'ECONNREFUSED'},
  'not available': {arrives: false, outcome: 'turned-away', status: 503},
  'too many requests': {arrives: false, outcome: 'turned-away', status: 429},
  'a wrong password': {arrives: false, outcome: 'turned-away', status: 401},
  'no more, ever': {arrives: false, outcome: 'turned-away', status: 410},
  'a refusal': {arrives: false, outcome: 'refused', status: 400},
} as const satisfies Record<string, Fate>;
type FateName = keyof typeof fates;

/** What a destination may suffer from for a while. One of the fates is drawn for each request. */
export const moods = {
  flaky: [
    'all is well',
    'all is well',
    'the reply is lost',
    'the request is lost',
    'silence, but taken',
    'silence',
    'an error, but taken',
    'an error',
    'no connection',
    'a slow reply',
  ],
  down: ['no connection'],
  away: ['a gateway without the receiver', 'the request is lost', 'not available'],
  forgetful: ['the reply is lost'],
  silent: ['silence, but taken'],
  busy: ['too many requests', 'all is well'],
  unreadable: ['an unreadable reply', 'all is well'],
  misconfigured: ['a wrong password'],
  refusing: ['a refusal'],
  gone: ['no more, ever'],
  repeating: ['taken before', 'all is well'],
  slow: ['a slow reply'],
  'very slow': ['a very slow reply'],
} as const satisfies Record<string, readonly FateName[]>;
export type Mood = keyof typeof moods;

/** What the network asks of its history, and where it reports. */
export type World = {
  /** Undefined if the destination is well. */
  moodOf(destination: string): Mood | undefined;
  /** The leads that receivers have created so far. */
  creations: readonly Creation[];
  record(fact: Request | Creation): void;
  /** A request has arrived, or its reply has: faults that were armed for this moment strike. */
  happened(what: 'arrival' | 'reply', process: Process): void;
};

type Sent = Pick<Request, 'destination' | 'method' | 'what' | 'body'>;
type Reply = {status: number; text: string};

/** Errors of undici and nodemailer are told apart by their codes. */
const coded = (code: string, more: Partial<NodemailerError> = {}) =>
  Object.assign(new Error(code), {code, ...more});

/**
 * Sends a request. Resolves to the reply, if one comes before `signal` says that it is too late.
 * @param open gets a function that cuts the connection, for as long as it is open
 * @param receive what the receiver does with the request, and replies
 */
function send(
  {process, world, open}: {process: Process; world: World; open: Set<() => void>},
  sent: Sent,
  signal: AbortSignal,
  receive: () => Reply,
): Promise<Reply> {
  const label = `${sent.destination} ${sent.method} ${sent.what.join(' ')}`;
  const mood = world.moodOf(sent.destination);
  const choices: readonly FateName[] = mood ? moods[mood] : ['all is well'];
  const fate: Fate = fates[choices[Math.floor(draw(`fate of ${label}`) * choices.length)] ?? 'all is well'];
  const [slowThere, slowBack] = fate.slow ?? [0, 0];
  const request: Request = {
    ...sent,
    type: 'request',
    at: time(),
    until: Infinity,
    process: process.name,
    hasArrived: false,
    isUnreadable: fate.body !== undefined || fate.status === 409,
  };
  world.record(request);
  return new Promise((resolve, reject) => {
    function end(outcome: Outcome, then: () => void) {
      if (request.until < Infinity) return;
      Object.assign(request, {until: time(), outcome});
      signal.removeEventListener('abort', tooLate);
      open.delete(cut);
      then();
    }
    const tooLate = () => {
      request.isGivenUp ??= request.until === Infinity;
      end('unclear', () => reject(signal.reason as Error));
    };
    const cut = () => end('unclear', () => reject(coded('UND_ERR_DESTROYED')));
    if (signal.aborted) return end('unsent', () => reject(signal.reason as Error));
    signal.addEventListener('abort', tooLate, {once: true});
    open.add(cut);

    function arrive() {
      const right = fate.arrives ? receive() : {status: 200, text: ''};
      request.hasArrived = fate.arrives;
      world.happened('arrival', process);
      if (fate.isSilent) return;
      const {status = right.status, body: text = right.text, error, outcome} = fate;
      const reply = () => {
        end(outcome, () => (error ? reject(coded(error)) : resolve({status, text})));
        world.happened('reply', process);
      };
      later(1 + draw(`back ${label}`) * (30 + slowBack), reply, process);
    }
    // The receiver is no part of the process: what was sent arrives even if the process has ended by then.
    later(1 + draw(`there ${label}`) * (20 + slowThere), arrive, theWorld);
  });
}

/** The network of one process. Each host has the name of its destination, as `crm.test`. */
export function createNetwork(process: Process, world: World): Partial<Network> {
  const nameOf = (host: string) => host.replace('.test', '');

  function createLead(destination: string, lead: string): Reply {
    const count = world.creations.length;
    const amounts = {
      rollover_amount: 1_000 + count,
      sba_qualified_amount: 2_000 + count,
      unsecured_amount: 3_000 + count,
      portfolio_loan_qualified_amount: 4_000 + count,
      total_qualified_amount: 10_000 + 4 * count,
    };
    const id = `${destination}-${count}`;
    world.record({type: 'creation', at: time(), destination, lead, id, amounts});
    return {status: 201, text: JSON.stringify({id})};
  }

  function readLead(destination: string, id: string): Reply {
    const found = world.creations.find((one) => one.destination === destination && one.id === id);
    return found ? {status: 200, text: JSON.stringify(found.amounts)} : {status: 404, text: '{}'};
  }

  return {
    createPool(origin) {
      const destination = nameOf(new URL(origin).hostname);
      const open = new Set<() => void>();
      async function request({method, path, headers, body, signal}: Dispatcher.RequestOptions) {
        const {'idempotency-key': lead, 'webhook-id': event} = headers as Record<string, string>;
        const id = path.split('/').at(-1) ?? '';
        const sent: Sent = {
          destination,
          method: method as 'POST' | 'GET',
          what: [lead ?? event ?? id],
          body: typeof body === 'string' ? body : '',
        };
        const {status, text} = await send({process, world, open}, sent, signal as AbortSignal, () => {
          if (lead) return createLead(destination, lead);
          return event ? {status: 204, text: ''} : readLead(destination, id);
        });
        const bytes = Buffer.from(text);
        const read = {bytes: () => Promise.resolve(bytes), dump: () => Promise.resolve()};
        return {
          statusCode: status,
          headers: status === 429 ? {'retry-after': '3'} : {},
          body: Object.assign(Readable.from(text ? [bytes] : []), read),
        };
      }
      return {
        request: request as unknown as ReturnType<Network['createPool']>['request'],
        destroy: () => Promise.resolve([...open].forEach((cut) => cut())),
      };
    },

    createTransport({host = ''}) {
      const open = new Set<() => void>();
      return {
        async sendMail({text, signal}) {
          const body = text as string;
          const references = [...new Set(body.match(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g))];
          const sent: Sent = {destination: nameOf(host), method: 'MAIL', what: references, body};
          const well = () => ({status: 250, text: ''});
          const {status} = await send({process, world, open}, sent, signal as AbortSignal, well);
          if (status < 300) return {rejectedErrors: []};
          throw coded('EMESSAGE', {responseCode: 451, permanent: false});
        },
        close: () => [...open].forEach((cut) => cut()),
      };
    },
  };
}
