/**
 * Tells operators by e-mail (`ALERTS_TO`) when a destination begins to need one, once a day while it does, and when that is
 * over, in the words of `lead-prequal status`. Each process looks, and the store decides which of them sends.
 */
import {
  destinationFindings,
  inOneLine,
  overdueFindings,
  readDestinations,
  stopFindings,
} from './admin/status.ts';
import {printable} from './admin/visible.ts';
import type {Config} from './config/config.ts';
import type {Timings} from './config/timings.ts';
import {openTransport} from './destinations/email/email.ts';
import {failureOf, refusedBy} from './destinations/email/failures.ts';
import type {LeadStore} from './leads/ports.ts';
import {reasonOf, StoreError} from './leads/store-errors.ts';
import type {Emit} from './observe/observations.ts';
import {goneAfter} from './reload/reloads.ts';

/** Ends the key of an alert about what a destination has not heard of stops and erasures. It is told at once. */
const ofStops = ': stops';

type Parts = {store: LeadStore; config: () => Config; emit: Emit; timings: Timings};

export function startAlerts({store, config: inForce, emit, timings}: Parts): {stop(): Promise<void>} {
  const {check, after, every, lease} = timings.alerts;
  const stopping = new AbortController();

  /** @returns whether some of the recipients got it, and why the others did not */
  async function send({smtpUrl, from, to}: NonNullable<Config['alerts']>, email: object) {
    const {transport, who} = openTransport(smtpUrl, timings.delivery, {}, {maxRequeues: 0});
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timings.delivery)]);
    // Programs that answer e-mails, for example during a holiday, leave such e-mails alone (RFC 3834).
    const headers = {'Auto-Submitted': 'auto-generated'};
    const sending = transport.sendMail({from, to, ...email, headers, xMailer: false, signal});
    const outcome = await sending.then(
      ({rejectedErrors = []}) => ({sent: true, failure: refusedBy(rejectedErrors)}),
      (error: unknown) => ({sent: false, failure: failureOf(error, who).message}),
    );
    transport.close({force: true});
    return outcome;
  }

  async function look() {
    const config = inForce();
    if (!config.alerts || stopping.signal.aborted) return;
    const now = Date.now();
    const wrong = new Map<string, string>();
    const processes = await store.processes(now - goneAfter);
    const say = (of: string, text: string) => wrong.set(of, `${wrong.get(of) ?? ''}${printable(text)}\n`);
    for (const row of await readDestinations({store, config}, processes))
      for (const finding of destinationFindings(row)) say(row.destination, inOneLine(finding));
    for (const finding of overdueFindings(processes))
      say(finding.subject ?? 'The retention of leads', inOneLine(finding));
    const urgent = new Set<string>();
    for (const finding of await stopFindings({store, config})) {
      urgent.add(`${finding.subject}${ofStops}`);
      say(`${finding.subject}${ofStops}`, inOneLine(finding));
    }
    const alerts = await store.claimAlerts([...wrong.keys()], now, timings.alerts, [...urgent]);
    if (alerts.length === 0) return;
    const titles = alerts.map(({destination, told}) => {
      if (destination.endsWith(ofStops))
        return `${destination.slice(0, -ofStops.length)} ${wrong.has(destination) ? 'has not heard' : 'is waited for no more to hear'} who said stop or was erased`;
      const needs = told === 0 ? 'needs an operator' : 'still needs an operator';
      return `${destination} ${wrong.has(destination) ? needs : 'is ok again'}`;
    });
    const parts = alerts.map(({destination}, index) => wrong.get(destination) ?? `${titles[index]}\n`);
    const pages = config.admin ? `, and so does ${config.admin.url}/` : '';
    const footer = `"lead-prequal status" says how it is now, on the server of ${config.publicUrl}${pages}\n`;
    const email = {subject: titles.join(', '), text: [...parts, footer].join('\n')};
    const {sent, failure} = await send(config.alerts, email);
    // Nobody knows whether the e-mail arrived: once the lease ends, it is sent again.
    if (stopping.signal.aborted) return;
    for (const {destination, told} of alerts)
      if (!sent) await store.settleAlert(destination, told, now + lease, failure);
      else if (wrong.has(destination)) await store.settleAlert(destination, 1, now + every, failure);
      else await store.settleAlert(destination, 0, now + after, failure);
    if (failure !== null) throw new Error(failure);
  }

  /** An outage of the store is said by what watches the store. */
  function noteFailure(error: unknown) {
    if (!(error instanceof StoreError)) emit({type: 'alert-failed', reason: reasonOf(error)});
  }
  let looking = Promise.resolve();
  const timer = setInterval(() => void (looking = looking.then(look).catch(noteFailure)), check).unref();
  return {
    stop() {
      clearInterval(timer);
      stopping.abort();
      return looking;
    },
  };
}
