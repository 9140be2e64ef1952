/**
 * An attacker who tries to make confirmations into a relay: who writes to strangers again and again, and puts links and
 * sentences into what is typed. The mail server refuses, is busy, and breaks connections in between.
 */
import assert from 'node:assert/strict';
import {createHash, randomUUID} from 'node:crypto';
import type {Socket} from 'node:net';
import fc from 'fast-check';
import {referenceOf} from '../../contract/reference.ts';
import {greetedName} from '../../server/destinations/confirmation/confirmation-email.ts';
import {mailboxOf} from '../../server/leads/confirmation-digests.ts';
import {confirming} from './confirming.ts';
import {sendLead, somebody} from './embed-client.ts';
import {refusal, startMailServer, type MailServer} from './mail-server.ts';
import {quickTimings} from './quick-timings.ts';
import type {Store} from './stores.ts';
import {startTestServer} from './test-server.ts';
import {until} from './until.ts';

/** In an hour. */
const ofNetwork = 5;
const partners = ['acme', 'globex'] as const;

const bait = ['visit evil.example now', 'https://evil.example/x', 'www.evil.example', 'You won a prize'];
const injections = [
  'Jane\r\nBcc: all@victim.example',
  '<a href=//evil.example>Jane</a>',
  '{company}',
  '${x}',
  '=?utf-8?q?x?=',
  'evil。example',
  'evilꓸexample',
  'http：／／evil',
  '\u202Emoc.live',
  'Jane\u2028Pay here',
];
const firstName = fc.oneof(
  fc.constantFrom(...bait, ...injections, 'Jane', "D'Angelo", 'Jean-Luc', 'María José', 'Zoë'),
  fc.string({minLength: 1, maxLength: 60, unit: 'grapheme'}),
  fc.stringMatching(/^[a-z .:/@-]{1,50}$/),
);
/** One of few strangers, in one of the spellings of the address, or an address that tries to name several. */
const stranger = fc
  .record({
    person: fc.integer({min: 0, max: 300}),
    domain: fc.constantFrom('victim.example', 'gmail.com', 'googlemail.com', 'VICTIM.example'),
    tag: fc.constantFrom('', '', '+a', '+b.c', '+news+x'),
    form: fc.constantFrom('plain', 'upper', 'dots', 'list', 'quoted', 'named', 'line'),
  })
  .map(({person, domain, tag, form}) => {
    const local = form === 'dots' ? `v.ictim.${person}` : `victim.${person}`;
    const address = `${form === 'upper' ? local.toUpperCase() : local}${tag}@${domain}`;
    if (form === 'list') return `${address},other@victim.example`;
    if (form === 'quoted') return `"see evil.example"@${domain}`;
    if (form === 'named') return `Bait <${address}>`;
    return form === 'line' ? `${address}\r\nBcc: x@victim.example` : address;
  });
const attempt = fc.record({
  first_name: firstName,
  last_name: fc.constantFrom('Doe', ...bait),
  email: stranger,
  network: fc.integer({min: 0, max: 399}),
  partner: fc.constantFrom(...partners),
  process: fc.nat(1),
  lang: fc.constantFrom('en-US', 'es-US', 'es', 'fr', 'evil.example', '"><script>', '', 7),
  again: fc.boolean(),
});

const networkOf = (index: number) => `198.51.${index >> 8}.${index & 255}`;

/** Chooses what becomes of an e-mail: the same each time, whichever process sends it. */
const fateOf = (text: string) => (createHash('sha1').update(text).digest()[0] ?? 0) % 16;

/** The server that takes the e-mails of the attack. What it has taken without a reply counts as an e-mail, too. */
async function startMoodyServer(): Promise<MailServer & {taken: string[]}> {
  const sockets = new Map<number, Socket>();
  const tries = new Map<string, number>();
  const taken: string[] = [];
  const server = await startMailServer({
    onRcptTo({address}, _session, callback) {
      const count = (tries.get(address) ?? 0) + 1;
      tries.set(address, count);
      const fate = fateOf(address);
      if (fate === 0) return callback(refusal(550, 'no such user'));
      return callback(fate < 4 && count === 1 ? refusal(451, 'busy') : null);
    },
    onData(stream, {remotePort}, callback) {
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (raw += part));
      stream.on('end', () => {
        taken.push(raw);
        if (fateOf(raw) < 2) sockets.get(remotePort)?.destroy();
        else if (fateOf(raw) < 3) callback(refusal(554, 'spam'));
        else callback();
      });
    },
  });
  server.onConnection((socket) => sockets.set(socket.remotePort ?? 0, socket));
  return Object.assign(server, {taken});
}

export type Outcome = Record<'tries' | 'stored' | 'refused' | 'confirmations' | 'sent' | 'dropped', number>;

/** @throws AssertionError for the first e-mail that should not have been sent */
export async function attackConfirmations(store: Store, tries: number, seed: number): Promise<Outcome> {
  // A short attack reaches the limit of a partner, and a long one those of addresses and networks.
  const perHour = Math.ceil(tries / 8);
  const mail = await startMoodyServer();
  const smtpUrl = `smtp://127.0.0.1:${mail.port}`;
  const settings = confirming(smtpUrl, {confirm: {per_hour: perHour}, others: ['globex']});
  const server = await store.startServer({...settings, trustProxy: 1}, quickTimings);
  // Only PostgreSQL can be shared.
  const second = server.config.databaseUrl
    ? await startTestServer({...server.config, port: 0}, quickTimings)
    : server;
  const leads = new Map<string, Sent>();
  let [stored, refused] = [0, 0];
  try {
    const plans = fc.sample(attempt, {numRuns: tries, seed});
    for (let start = 0; start < plans.length; start += 50) {
      const some = plans.slice(start, start + 50).map(async (plan) => {
        const {first_name, last_name, email, partner, lang} = plan;
        const network = networkOf(plan.network);
        const to = plan.process === 0 ? server : second;
        const sending = {
          body: {lang},
          partner,
          key: randomUUID(),
          headers: {'x-forwarded-for': network},
        };
        const lead = somebody({first_name, last_name, email});
        const responses = [await sendLead(to, lead, sending)];
        if (plan.again) responses.push(await sendLead(to === server ? second : server, lead, sending));
        for (const response of responses) {
          const {id} = (await response.json()) as {id?: string};
          // Of a name with an address, the address alone is taken.
          const address = /<(.+)>$/.exec(email.trim())?.[1] ?? email;
          if (response.status === 201 && id !== undefined) leads.set(id, {network, partner, email: address});
          else refused += 1;
        }
      });
      await Promise.all(some);
    }
    stored = leads.size;
    const open =
      "SELECT COUNT(*) AS open FROM deliveries WHERE content = 'confirmation' AND settled_at IS NULL";
    await until(
      async () => Number((await server.select(open))[0]?.['open']) === 0,
      'all confirmations have ended',
      600_000,
    );
    const rows = await server.select("SELECT state FROM deliveries WHERE content = 'confirmation'");
    check(mail.taken, leads, perHour);
    return {
      tries,
      stored,
      refused,
      confirmations: rows.length,
      sent: mail.taken.length,
      dropped: rows.filter(({state}) => state === 'dropped').length,
    };
  } finally {
    if (second !== server) await second.close();
    await server.close();
    await mail.close();
  }
}

type Sent = {network: string; partner: string; email: string};

function check(taken: readonly string[], leads: ReadonlyMap<string, Sent>, perHour: number) {
  const counts = new Map<string, number>();
  const count = (what: string, most: number) => {
    const next = (counts.get(what) ?? 0) + 1;
    counts.set(what, next);
    assert.ok(next <= most, `${what}: ${next}`);
  };
  const bodies = new Set<string>();
  for (const raw of taken) {
    const headEnd = raw.indexOf('\r\n\r\n');
    const head = raw.slice(0, headEnd).replaceAll(/\r\n[ \t]+/g, ' ');
    const id = /^Message-ID: <confirmation_([0-9a-f-]+)@partner\.example>/im.exec(head)?.[1] ?? '';
    const lead = leads.get(id);
    assert.ok(lead, 'each e-mail is about a lead that was stored');
    count(`lead ${id}`, 1);
    count(`mailbox ${mailboxOf(lead.email)}`, 1);
    count(`network ${lead.network}`, ofNetwork);
    count(`partner ${lead.partner}`, perHour);
    const names = head.split('\r\n').map((line) => line.split(':')[0]?.toLowerCase());
    assert.deepEqual(names.toSorted(), [
      ...['auto-submitted', 'content-type', 'date', 'from', 'list-unsubscribe', 'list-unsubscribe-post'],
      ...['message-id', 'mime-version', 'subject', 'to', 'x-auto-response-suppress'],
    ]);
    assert.equal(/^To: (.*)$/m.exec(head)?.[1]?.trim().toLowerCase(), lead.email.toLowerCase());
    const body = decoded(raw.slice(headEnd));
    const [, name] =
      /^(?:Hello|Hola)(?:,)? ?([^,:\n]*)[,:]$/m.exec(body) ?? assert.fail('it begins with a greeting');
    if (name) assert.equal(greetedName(name), name);
    bodies.add(
      body
        .replaceAll(referenceOf(id), 'REFERENCE')
        .replaceAll(
          /(?:<a href=")?https:\/\/leads\.example\.com\/revoke\/[\w.-]+\?lang=e[ns](?:">|<\/a>)?/g,
          'LINK',
        )
        .replaceAll(`Hello ${name},`, 'Hello,')
        .replaceAll(`Hola, ${name}:`, 'Hola:')
        .replaceAll(/--_NmP[^\s]*/g, 'BOUNDARY'),
    );
  }
  // Without its greeting and its reference, each e-mail is the one in English, or the one in Spanish.
  assert.ok(bodies.size <= 2, [...bodies].slice(0, 3).join('\n=====\n'));
  for (const body of bodies) assert.doesNotMatch(body, /https?:|www\.|evil|href/i);
}

/** Both parts of an e-mail, as a mail program reads them. */
const decoded = (body: string) =>
  Buffer.from(
    body
      .replaceAll(/=\r\n/g, '')
      .replaceAll('\r\n', '\n')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
