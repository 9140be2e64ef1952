/** The receivers of a history, in place of undici's pools and nodemailer's transports. */
import {Readable} from 'node:stream';
import type {NodemailerError} from 'nodemailer';
import type {Dispatcher} from 'undici';
import type {Network} from '../../server/destinations/network.ts';
import {draw, later, theWorld, time, type Process} from './clock.ts';
import type {Creation, Outcome, Request} from './history.ts';

/**
 * What becomes of a request. Without these fields, the receiver replies within 50 ms, as the API says.
 * - `arrives`: the receiver has it, or has it twice, because something on the way sent it again
 * - `outcome`: what the sender of a lead knows then. An event counts as taken after any status below 300
 * - `status` and `body`: of the reply
 * - `isCut`: the body of the reply never ends
 * - `error`: the code of the error that the sender gets instead of a reply
 * - `isSilent`: there is no reply, and the connection stays open
 * - `slow`: milliseconds that the way there and back take, at most
 */
type Fate = {
  arrives: boolean | 'twice';
  outcome: Outcome;
  status?: number;
  body?: string;
  isCut?: true;
  error?: string;
  isSilent?: true;
  slow?: readonly [there: number, back: number];
};

const fates = {
  'all is well': {arrives: true, outcome: 'taken'},
  'a slow reply': {arrives: true, outcome: 'taken', slow: [2_000, 2_500]},
  'a very slow reply': {arrives: true, outcome: 'taken', slow: [0, 9_500]},
  'a request that is doubled': {arrives: 'twice', outcome: 'taken'},
  'the reply is lost': {arrives: true, outcome: 'unclear', error: 'UND_ERR_SOCKET'},
  'the request is lost': {arrives: false, outcome: 'unclear', error: 'UND_ERR_SOCKET'},
  'silence, but taken': {arrives: true, outcome: 'unclear', isSilent: true},
  silence: {arrives: false, outcome: 'unclear', isSilent: true},
  'an error, but taken': {arrives: true, outcome: 'unclear', status: 500},
  'an error': {arrives: false, outcome: 'unclear', status: 500},
  'a gateway that waited in vain': {arrives: true, outcome: 'unclear', status: 504},
  'a gateway without the receiver': {arrives: false, outcome: 'unclear', status: 502},
  'an unreadable reply': {arrives: true, outcome: 'unclear', status: 201, body: '{"id":'},
  'a reply that is cut': {arrives: true, outcome: 'unclear', status: 201, isCut: true},
  'taken before': {arrives: true, outcome: 'unclear', status: 409},
  'no connection': {arrives: false, outcome: 'turned-away', error: 'ECONNREFUSED'},
  'not available': {arrives: false, outcome: 'turned-away', status: 503},
  'too many requests': {arrives: false, outcome: 'turned-away', status: 429},
  'a redirect': {arrives: false, outcome: 'turned-away', status: 307},
  'a wrong password': {arrives: false, outcome: 'turned-away', status: 401},
  'no more, ever': {arrives: false, outcome: 'turned-away', status: 410},
  'a refusal': {arrives: false, outcome: 'refused', status: 400},
  'a refusal of a field': {
    arrives: false,
    outcome: 'refused',
    status: 422,
    body: '{"errors":[{"field":"email"}]}',
  },
} as const satisfies Record<string, Fate>;
type FateName = keyof typeof fates;

/** What a destination may suffer from for a while. One of the fates is drawn for each request. */
export const moods = {
  flaky: [
    'all is well',
    'a request that is doubled',
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
  away: [
    'a gateway without the receiver',
    'a gateway that waited in vain',
    'the request is lost',
    'not available',
  ],
  forgetful: ['the reply is lost'],
  silent: ['silence, but taken'],
  busy: ['too many requests', 'all is well'],
  unreadable: ['an unreadable reply', 'a reply that is cut', 'all is well'],
  misconfigured: ['a wrong password'],
  moving: ['a redirect', 'all is well', 'not available'],
  refusing: ['a refusal', 'a refusal of a field'],
  gone: ['no more, ever'],
  repeating: ['taken before', 'all is well'],
  slow: ['a slow reply'],
  'very slow': ['a very slow reply'],
} as const satisfies Record<string, readonly FateName[]>;
export type Mood = keyof typeof moods;

/** What the network asks of its history, and where it reports. */
export type Surroundings = {
  /** Undefined if the destination is well. */
  moodOf: (destination: string) => Mood | undefined;
  /** Whether the destination gets leads, and not events. */
  isForLeads: (destination: string) => boolean;
  /** The leads that receivers have created so far. */
  creations: readonly Creation[];
  record: (fact: Request | Creation) => void;
  /** Faults that were armed for this moment strike. */
  happened: (moment: Moment, process: Process) => void;
};

/**
 * Moments at which a fault may strike a process: before and after a commit, after the commit of a new lead, when a request
 * leaves, when it has arrived, and when the reply is there.
 */
export const moments = ['write', 'commit', 'acceptance', 'request', 'arrival', 'reply'] as const;
export type Moment = (typeof moments)[number];

type Sent = Pick<Request, 'destination' | 'method' | 'what' | 'body'> & {address: string};
type Reply = {status: number; text: string; isCut?: boolean | undefined};

/** Errors of undici and nodemailer are told apart by their codes. */
const coded = (code: string, more: Partial<NodemailerError> = {}) =>
  Object.assign(new Error(code), {code, ...more});

/** The connections of one pool or mail transport. */
class Line {
  readonly process: Process;
  readonly around: Surroundings;
  readonly isForLeads: boolean;
  /** What cuts each request that is under way. */
  readonly #open = new Set<() => void>();

  constructor(process: Process, around: Surroundings, isForLeads: boolean) {
    this.process = process;
    this.around = around;
    this.isForLeads = isForLeads;
  }

  cut = () => {
    for (const cut of [...this.#open]) cut();
  };

  #fateOf({destination}: Sent, label: string): Fate {
    const mood = this.around.moodOf(destination);
    const choices: readonly FateName[] = mood ? moods[mood] : ['all is well'];
    return fates[choices[Math.floor(draw(`fate of ${label}`) * choices.length)] ?? 'all is well'];
  }

  /**
   * Sends a request. Resolves to the reply, if one comes before `signal` says that it is too late.
   * @param receive what the receiver does with it, and replies
   */
  send(sent: Sent, signal: AbortSignal, receive: () => Reply): Promise<Reply> {
    const {process, around} = this;
    // A process that has just died goes on until it waits for something, but sends nothing.
    if (process.isDead) return new Promise(() => undefined);
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const label = `${sent.destination} ${sent.method} ${sent.what}`;
    const fate = this.#fateOf(sent, label);
    const [slowThere, slowBack] = fate.slow ?? [0, 0];
    const isTaken = fate.status !== undefined && fate.status < 300 && !this.isForLeads;
    const request: Request = {
      ...sent,
      type: 'request',
      at: time(),
      until: Infinity,
      process: process.name,
      hasArrived: false,
      isUnreadable: this.isForLeads && (fate.status === 201 || fate.status === 409),
    };
    around.record(request);
    around.happened('request', process);
    return new Promise((resolve, reject) => {
      const finish = (outcome: Outcome, then: () => void) => {
        if (request.until < Infinity) return;
        Object.assign(request, {until: time(), outcome});
        signal.removeEventListener('abort', tooLate);
        this.#open.delete(cut);
        then();
      };
      const cut = () => finish('unclear', () => reject(coded('UND_ERR_DESTROYED')));
      const tooLate = () =>
        finish('unclear', () => {
          request.isGivenUp = true;
          reject(signal.reason as Error);
        });
      signal.addEventListener('abort', tooLate, {once: true});
      this.#open.add(cut);

      const reply = (proper: Reply) => {
        const {status = proper.status, isCut, error} = fate;
        // As some receivers do, it quotes what was wrong.
        const {body: text = status === 500 ? sent.body : proper.text} = fate;
        finish(isTaken ? 'taken' : fate.outcome, () => {
          request.isGone = status === 410 && sent.method === 'POST' && !this.isForLeads;
          if (error) reject(coded(error));
          else resolve({status, text, isCut});
        });
        around.happened('reply', process);
      };
      const arrive = () => {
        if (fate.arrives === 'twice') receive();
        const properReply = fate.arrives ? receive() : {status: 200, text: ''};
        request.hasArrived = fate.arrives !== false;
        if (fate.arrives) around.happened('arrival', process);
        if (!fate.isSilent)
          later(1 + draw(`back ${label}`) * (30 + slowBack), () => reply(properReply), process);
      };
      // The receiver is no part of the process: what was sent arrives even if the process has ended by then.
      later(1 + draw(`there ${label}`) * (20 + slowThere), arrive, theWorld);
    });
  }
}

/** What nodemailer throws for each status of a fate, in the words of SMTP. */
const mailErrors: Record<number, [code: string, more: Partial<NodemailerError>]> = {
  400: ['EMESSAGE', {responseCode: 550, permanent: true}],
  401: ['EAUTH', {responseCode: 535, permanent: true}],
  410: ['EENVELOPE', {responseCode: 550, permanent: true, command: 'MAIL FROM'}],
  422: ['EMESSAGE', {responseCode: 554, permanent: true}],
  429: ['ECONNECTION', {responseCode: 421, permanent: false}],
  503: ['ECONNECTION', {responseCode: 421, permanent: false}],
};

/** The network of one process. Each host begins with the name of its destination, as `crm.test` and `crm.elsewhere.test`. */
export function createNetwork(process: Process, around: Surroundings): Partial<Network> {
  const nameOf = (host: string) => host.split('.')[0] ?? '';

  function createLead(destination: string, lead: string): Reply {
    const count = around.creations.length;
    const amounts = {
      rollover_amount: 1_000 + count,
      sba_qualified_amount: 2_000 + count,
      unsecured_amount: 3_000 + count,
      portfolio_loan_qualified_amount: 4_000 + count,
      total_qualified_amount: 10_000 + 4 * count,
    };
    const id = `${destination}-${count}`;
    around.record({type: 'creation', at: time(), destination, lead, id, amounts});
    return {status: 201, text: JSON.stringify({id})};
  }

  function readLead(destination: string, id: string): Reply {
    const found = around.creations.find((one) => one.destination === destination && one.id === id);
    return found ? {status: 200, text: JSON.stringify(found.amounts)} : {status: 404, text: '{}'};
  }

  return {
    createPool(origin) {
      const address = new URL(origin).hostname;
      const destination = nameOf(address);
      const line = new Line(process, around, around.isForLeads(destination));
      async function request({method, path, headers, body: given, signal}: Dispatcher.RequestOptions) {
        const {'idempotency-key': lead, 'webhook-id': event} = headers as Record<string, string>;
        const id = path.split('/').at(-1) ?? '';
        const body = typeof given === 'string' ? given : '';
        const what = lead ?? event ?? id;
        const sent: Sent = {destination, address, method: method as 'POST' | 'GET', what, body};
        const {status, text, isCut} = await line.send(sent, signal as AbortSignal, () => {
          if (lead) return createLead(destination, lead);
          return event ? {status: 204, text: ''} : readLead(destination, id);
        });
        const bytes = () =>
          isCut ? Promise.reject(coded('UND_ERR_SOCKET')) : Promise.resolve(Buffer.from(text));
        return {
          statusCode: status,
          headers: status === 429 ? {'retry-after': '3'} : {},
          body: Object.assign(Readable.from(text ? [Buffer.from(text)] : []), {
            bytes,
            dump: () => Promise.resolve(),
          }),
        };
      }
      return {
        request: request as unknown as ReturnType<Network['createPool']>['request'],
        destroy: () => Promise.resolve(line.cut()),
      };
    },

    createTransport({host = ''}) {
      const line = new Line(process, around, false);
      return {
        async sendMail({messageId = '', text, signal}) {
          const sent: Sent = {
            destination: nameOf(host),
            address: host,
            method: 'MAIL',
            // The name of the e-mail is the id of its event.
            what: messageId.replace(/^<|@.*$/g, ''),
            body: text as string,
          };
          const {status} = await line.send(sent, signal as AbortSignal, () => ({status: 250, text: ''}));
          if (status < 300) return {rejectedErrors: []};
          throw coded(...(mailErrors[status] ?? ['EMESSAGE', {responseCode: 451, permanent: false}]));
        },
        close: line.cut,
      };
    },
  };
}
