/**
 * Tells operators by e-mail (`alerts_to`) what `lead-prequal status` finds: when it begins, once a day while it lasts, and when it
 * is over. All e-mails about one trouble are one thread. Each process looks, and the store decides which of them sends.
 */
import {
  inOneLine,
  isTold,
  placeOf,
  readStatus,
  troubleOf,
  type Finding,
  type Status,
} from './admin/status.ts';
import {printable} from './admin/visible.ts';
import {clockTime, counted, lasting, timeZone} from './admin/words.ts';
import type {Config} from './config/config.ts';
import type {Timings} from './config/timings.ts';
import {messageOf, openTransport} from './destinations/email/email.ts';
import {failureOf, refusedBy} from './destinations/email/failures.ts';
import type {Block} from './destinations/email/message.ts';
import {emailOf, type Email} from './destinations/email/wording.ts';
import type {Alert, LeadStore} from './leads/ports.ts';
import {reasonOf, StoreUnavailable} from './leads/store-errors.ts';
import type {Emit} from './observe/observations.ts';

/** Findings that one e-mail quotes. */
const maxQuoted = 20;

type Parts = {store: LeadStore; config: () => Config; emit: Emit; timings: Timings};

export function startAlerts({store, config: inForce, emit, timings}: Parts): {stop(): Promise<void>} {
  const {check, every, lease} = timings.alerts;
  const stopping = new AbortController();

  /** @returns whether some of the recipients got it, why the others did not, and whether no e-mail can be sent now */
  async function send({smtpUrl, from, to}: NonNullable<Config['alerts']>, email: Email) {
    const {transport, who} = openTransport(smtpUrl, timings.delivery, {}, {maxRequeues: 0});
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timings.delivery)]);
    const outcome = await transport.sendMail({...messageOf(email, from), to, signal}).then(
      ({rejectedErrors = []}) => ({sent: true, failure: refusedBy(rejectedErrors), isAway: false}),
      (error: unknown) => {
        const failure = failureOf(error, who);
        const isAway = !('aboutLead' in failure && failure.aboutLead);
        return {sent: false, failure: failure.message, isAway};
      },
    );
    transport.close({force: true});
    return outcome;
  }

  async function tellTroubles() {
    const config = inForce();
    if (!config.alerts || stopping.signal.aborted) return;
    const now = Date.now();
    const status = await readStatus({
      config,
      server: 'ok',
      checkStart: () => Promise.resolve([]),
      withStore: (work) => work(store),
      forAlerts: true,
    });
    // What took so long to read is of another time, as when the clock was set meanwhile: the next look finds what is so.
    if (Date.now() > now + lease) return;
    const wrong = Map.groupBy(status.findings.filter(isTold), troubleOf);
    const troubles = [...wrong].map(([name, findings]) => ({
      name,
      title: titleOf(findings),
      isUrgent: isUrgent(findings),
    }));
    const failures: string[] = [];
    const due = await store.claimAlerts(troubles, now, timings.alerts);
    const rank = ({name}: Alert) => (isUrgent(wrong.get(name)) ? 0 : 1);
    for (const alert of due.toSorted((one, other) => rank(one) - rank(other))) {
      // What is left is due again when its lease ends. Later, another process might send it at the same time.
      if (Date.now() > now + lease / 2) break;
      const findings = wrong.get(alert.name) ?? [];
      const {sent, failure, isAway} = await send(config.alerts, alertEmail(alert, findings, status, config));
      // Nobody knows whether the e-mail arrived: once the lease ends, it is sent again.
      if (stopping.signal.aborted) return;
      if (failure !== null) failures.push(failure);
      if (!sent) await store.settleAlert(alert, Date.now() + lease, failure);
      else if (findings.length === 0) await store.endAlert(alert.name);
      else await store.settleAlert({...alert, told: 1}, Date.now() + every, failure);
      if (isAway) break;
    }
    if (failures[0] !== undefined) throw new Error(failures[0]);
  }

  /** An outage of the store is said by what watches the store. */
  function noteFailure(error: unknown) {
    if (!(error instanceof StoreUnavailable)) emit({type: 'alert-failed', reason: reasonOf(error)});
  }
  let looking = Promise.resolve();
  const timer = setInterval(
    () => void (looking = looking.then(tellTroubles).catch(noteFailure)),
    check,
  ).unref();
  return {
    stop() {
      clearInterval(timer);
      stopping.abort();
      return looking;
    },
  };
}

/** A stop that was not heard is told at once. */
const isUrgent = (findings?: readonly Finding[]) => findings?.[0]?.kind === 'stop';

/** How a finding begins, without its age, its cause, and until when something must be done. */
function titleOf([first, ...others]: readonly Finding[]): string {
  const [title = ''] = printable(first?.text ?? '').split(/: | \(\d+ | for \d+ |; |, because /);
  return others.length === 0 ? title : `${title}, and ${others.length} more`;
}

/** @param findings none if the trouble is over */
function alertEmail(alert: Alert, findings: readonly Finding[], status: Status, config: Config): Email {
  const {name, title, beganAt, told} = alert;
  const {admin, publicUrl} = config;
  const thread = `alert_${name.replace(/\W+/g, '-')}_${beganAt}`;
  const [{kind, subject} = {kind: undefined, subject: null}] = findings;
  const [place, label = ''] = (kind && placeOf[kind]?.(encodeURIComponent(subject ?? ''))) ?? [];
  const href = admin && place !== undefined ? `${admin.url}${place}` : undefined;
  const blocks: Block[] = [
    ...findings.slice(0, maxQuoted).map((finding) => findingBlock(finding, href !== undefined)),
    findings.length > maxQuoted ? [`${findings.length - maxQuoted} more are not shown here.`] : [],
    findings.length === 0 ? overBlock(alert, status) : [],
    href === undefined ? [] : {buttons: [{label, href, text: `${label}: ${href}`}]},
    [
      `"lead-prequal status" says how it is now, on the server of ${publicUrl}${admin ? `, and so does ${admin.url}/` : ''}`,
      `Times are those of ${timeZone()}.`,
    ],
  ];
  // Mail programs take these subjects for one thread: they leave out what stands in brackets, and "Re:" (RFC 5256).
  const before = findings.length === 0 ? '[over] ' : told === 0 ? '' : 'Re: ';
  const isFirst = told === 0;
  return emailOf(
    `${before}${title}`,
    blocks,
    isFirst ? thread : `${thread}_${Date.now()}`,
    isFirst ? undefined : thread,
  );
}

/** @param isLinked a button leads to where it is mended, in place of the command */
function findingBlock(finding: Finding, isLinked: boolean): Block {
  const {text, remedy, level} = finding;
  const isSaid = isLinked && remedy?.startsWith('see "');
  const line = printable(inOneLine({text, remedy: isSaid ? null : remedy}));
  const bold = printable(text);
  return {notice: [[{bold}, line.slice(bold.length) || '.']], tone: level === 'warning' ? 'warn' : 'bad'};
}

function overBlock({name, title, beganAt, seenAt}: Alert, {destinations}: Status): Block {
  const row = destinations.find(({destination}) => name === `destination ${destination}`);
  const bold = row ? `${row.destination} is ok again.` : `This is over: ${title}.`;
  return {
    notice: [
      [{bold}],
      `It lasted ${lasting(seenAt - beganAt)}, until ${clockTime(seenAt)}.`,
      ...(row && row.failed + row.refused === 0
        ? [
            row.waiting === 0
              ? 'Nothing is lost: nothing was given up, and nothing waits any more.'
              : `Nothing is lost: ${counted(row.waiting, 'delivery is', 'deliveries are')} on the way.`,
          ]
        : []),
    ],
    tone: 'good',
  };
}
