/** What the rules of the checker ask of a history. */
import {
  onlyForReceivers,
  type DeliveryKey,
  type DeliveryRow,
  type ForReceivers,
} from '../../server/leads/deliveries.ts';
import {revocationScopes} from '../../server/leads/stored-lead.ts';
import {
  nameOf,
  type Addresses,
  type Agreed,
  type Allowing,
  type Erasing,
  type Fact,
  type From,
  type History,
  type Request,
  type Revoking,
  type Span,
  type Trouble,
} from './history.ts';

type OfType<Type extends Fact['type']> = Extract<Fact, {type: Type}>;

/** What a request tells of a lead. `only` is missing if it is, or tells of, the lead itself. */
export type Told = {lead: string; only?: ForReceivers | undefined};

/** Milliseconds within which a process stores how an attempt ended, while its store works. */
const storing = 1_000;
/** Milliseconds after its end, at most, at which a lease is taken by another process. */
const taking = 6_000;
/** Milliseconds by which the clocks of processes differ, at most, if nobody sets them. */
export const clockDifference = 2_000;
/** Milliseconds for which a clock that was set makes leases and waits longer or shorter. */
const clockEffect = 150_000;

export class Facts {
  readonly history: History;
  readonly #byType: ReadonlyMap<string, Fact[]>;
  readonly #sends: ReadonlyMap<string, Request[]>;
  readonly #deliveries: ReadonlyMap<string, DeliveryRow[]>;
  readonly #answeredBy: ReadonlyMap<string, string>;

  constructor(history: History) {
    this.history = history;
    this.#byType = Map.groupBy(history.facts, ({type}) => type);
    const sends = this.all('request').filter(({method}) => method !== 'GET');
    this.#sends = Map.groupBy(sends, ({destination, what}) => `${destination}/${what}`);
    this.#deliveries = Map.groupBy(history.stored.deliveries, ({lead}) => lead);
    this.#answeredBy = new Map(
      this.all('submission').flatMap(({lead, answeredBy}) =>
        lead && answeredBy ? [[lead, answeredBy]] : [],
      ),
    );
  }

  all<Type extends Fact['type']>(type: Type): readonly OfType<Type>[] {
    return (this.#byType.get(type) ?? []) as OfType<Type>[];
  }

  /** What erased a lead: the leads that are not erased have none. */
  erasing(lead: string): Erasing | undefined {
    const tombstone = this.history.stored.erased.get(lead);
    const all = tombstone ? this.all('erasing').filter(({now}) => now === tombstone.erasedAt) : [];
    // A duplicate that came late goes with its original, which was named.
    return all.find((one) => one.by === 'sweep' || one.lead === lead) ?? all[0];
  }

  /** When an erased lead was in nobody's hands any more: then, or at the end of its last lease. */
  lastHeld(lead: string): number {
    const leasedUntil = this.history.stored.leases.get(lead) ?? 0;
    return Math.max(this.erasing(lead)?.until ?? Infinity, leasedUntil - this.history.beginning);
  }

  /** What the request tells. Undefined for amounts that were fetched under an id which the receiver gave to no lead. */
  toldIn(request: Request): Told | undefined {
    const lead = this.leadOf(request);
    const only = onlyForReceivers.find((content) => request.what.startsWith(`evt_${content}_`));
    return lead === undefined ? undefined : {lead, only: only as ForReceivers | undefined};
  }

  /** Whether the request tells only of this, and of this lead. */
  tells(request: Request, content: ForReceivers, lead: string): boolean {
    const told = this.toldIn(request);
    return told?.lead === lead && told.only === content;
  }

  /** Who sent a lead. Undefined if it was erased, or lost by a restore, and its client heard nothing. */
  from(lead: string): From | undefined {
    const stored = this.history.stored.leads.get(lead);
    if (!stored) return this.all('submission').find((one) => one.lead === lead)?.from;
    const {phone, email, cid} = stored.lead;
    return {partner: stored.partner, cid, phone: phone.e164, mailbox: email};
  }

  /** Whether the lead has the number, and is of those for whom this is: of a partner also the callers of its client. */
  concerns({phone, partner, cid}: Pick<Revoking, 'phone' | 'partner' | 'cid'>, lead: string): boolean {
    const from = this.from(lead);
    if (!from || from.phone !== phone) return false;
    if (partner === undefined) return true;
    if (from.partner !== null) return from.partner === partner;
    return from.cid === cid || (partner === null && cid === undefined);
  }

  /** Whether this may take the consent of the lead back: by a link only if it has the mailbox, too. */
  mayStop(revoking: Revoking, lead: string): boolean {
    const {leads, link} = revoking;
    const isIts = link === undefined || this.from(lead)?.mailbox === link.mailbox;
    return leads.includes(lead) || (isIts && this.concerns(revoking, lead));
  }

  /**
   * Whether an operator has decided about the person of a link since its lead came: it asks again, and stops nothing. Surely so only if
   * this person had pressed a link before that: an operator who lets a number go on which nobody pressed decides about others.
   */
  isDecided({link, phone, at, until}: Revoking, how: 'perhaps' | 'surely'): boolean {
    if (!link) return false;
    const allowings = this.all('allowing').flatMap((one) =>
      'phone' in one && one.phone === phone ? one : [],
    );
    const presses = this.all('revoking').filter(
      (one) => one.link?.mailbox === link.mailbox && one.phone === phone && this.concerns(one, link.lead),
    );
    const isFirstSince = (one: Span) =>
      presses.some(
        (press) =>
          press.until < one.at &&
          allowings.every((other) => other === one || other.until < press.at - clockDifference),
      );
    const came = this.all('submission').filter(({lead}) => lead === link.lead);
    const [sent, stored] = [
      Math.min(...came.map((one) => one.at)),
      Math.min(...came.map((one) => one.until)),
    ];
    return allowings.some((one) =>
      how === 'perhaps'
        ? one.at <= until && one.until >= sent - clockDifference
        : one.partner === undefined &&
          isFirstSince(one) &&
          one.until < at &&
          one.at > stored + clockDifference,
    );
  }

  /** Whether the lead has the consent that is revoked, or a number that is suppressed then. */
  isMeant(revoking: Revoking, lead: string): boolean {
    return this.mayStop(revoking, lead) && !this.isDecided(revoking, 'perhaps');
  }

  /** Whether it lets the lead go, itself or by its number. */
  isAllowed(allowing: Allowing, lead: string): boolean {
    return 'lead' in allowing ? allowing.lead === lead : this.concerns(allowing, lead);
  }

  /** What may have taken the consent of the lead back, the last time: several if they overlap. */
  revokings(lead: string): Revoking[] {
    const {leads, erased} = this.history.stored;
    const revoked = (leads.get(lead) ?? erased.get(lead))?.revoked;
    const since = (revoked?.at ?? NaN) - this.history.beginning;
    return this.all('revoking').filter(
      ({at, until, partner, link: {ahead} = {ahead: 0}}) =>
        Math.floor(at + ahead) <= since &&
        since <= until + ahead &&
        (partner === undefined) === (revoked?.scope === 'all'),
    );
  }

  /** The lead that a request is about. */
  leadOf(request: Request): string | undefined {
    if (request.method !== 'GET') return this.deliveryOf(request).split('/').at(-1);
    return this.all('creation').find(
      (one) => one.destination === request.destination && one.id === request.what,
    )?.lead;
  }

  /** What the destination gets. */
  gets(destination: string): Agreed['gets'] | undefined {
    return this.history.agreed[destination]?.gets;
  }

  deliveriesOf(lead: string): readonly DeliveryRow[] {
    return this.#deliveries.get(lead) ?? [];
  }

  /** The delivery whose destination gives the lead its answer, if any. */
  answering(lead: string): DeliveryRow | undefined {
    const answeredBy = this.#answeredBy.get(lead);
    return this.deliveriesOf(lead).find(
      ({destination, content}) => destination === answeredBy && content === 'lead',
    );
  }

  /** The requests that took a delivery to its destination, in order. */
  sendsOf({destination, content, lead}: DeliveryKey): readonly Request[] {
    const sendsNamed = (what: string) => this.#sends.get(`${destination}/${what}`) ?? [];
    if (this.gets(destination) === 'leads') return sendsNamed(lead);
    if (content !== 'revoked') return sendsNamed(`evt_${content}_${lead}`);
    return revocationScopes.flatMap((scope) => sendsNamed(`evt_revoked_${scope}_${lead}`));
  }

  /** Each two requests in a row that took the same lead or event to a destination, and the name of that delivery. */
  repeats(): {delivery: string; last: Request; next: Request}[] {
    return [...this.#sends.values()].flatMap((sends) =>
      sends.slice(1).map((next, index) => ({delivery: this.deliveryOf(next), last: sends[index]!, next})),
    );
  }

  /** The name of the delivery that a request took: of a lead, or of an event such as `evt_created_<lead>`. */
  deliveryOf({destination, what}: Request): string {
    if (this.gets(destination) === 'leads') return nameOf({destination, content: 'lead', lead: what});
    // That a consent was revoked has the scope between the two.
    const [, content, ...rest] = what.split('_');
    return `${destination}/${content}/${rest.at(-1)}`;
  }

  /** Whether one of these troubles of the process touches the time between. */
  had(process: string, kinds: readonly Trouble['kind'][], from: number, to: number): boolean {
    return this.all('trouble').some(
      (trouble) =>
        trouble.process === process &&
        kinds.includes(trouble.kind) &&
        trouble.at <= to &&
        trouble.until >= from,
    );
  }

  /** Whether the process may not have stored how its request ended. */
  mayNotHaveStored({process, at, until}: Request): boolean {
    return this.had(process, ['crash', 'store', 'slow-store'], at, until + storing);
  }

  /**
   * Whether two processes may have worked on the same delivery. A lease ends by the clock of a process: one that stood still,
   * or whose clock was set, may send what another has taken meanwhile.
   */
  mayOverlap(last: Request, next: Request): boolean {
    const from = last.at - this.history.lease - taking;
    return (
      [last, next].some(({process}) => this.had(process, ['freeze'], from, next.at)) ||
      this.all('trouble').some(
        ({kind, at}) => kind === 'clock' && at <= next.at && at >= last.at - clockEffect,
      )
    );
  }

  /** The configurations of the process that may have been in force at a time: several if one changed at that moment. */
  inForce(process: string, at: number): Addresses[] {
    const own = this.all('configuration').filter((one) => one.process === process);
    const before = own.filter((one) => one.at < at).slice(-1);
    return [...before, ...own.filter((one) => one.at === at)].map(({addresses}) => addresses);
  }

  /** Whether it was stored after its lead, because the amounts decided about it: perhaps by a clock that is behind. */
  cameWithAnswer({lead, content, happenedAt}: DeliveryRow): boolean {
    const stored = this.history.stored.leads.get(lead);
    return content !== 'answered' && content !== 'refused' && happenedAt !== stored?.createdAt;
  }

  /** Whether an operator asked for another attempt between two times. */
  wasAskedFor(delivery: string, from: number, to: number): boolean {
    return this.all('command').some(
      ({name, deliveries, at, until}) =>
        (name === 'retry' || name === 'settle') && deliveries.includes(delivery) && until >= from && at <= to,
    );
  }

  /**
   * The request that gave the lead to its destination, if the other one fetches its amounts in the same attempt: right
   * after it, in the same process.
   */
  firstStepOf({method, process, destination, address, what: id, at}: Request): Request | undefined {
    if (method !== 'GET') return undefined;
    const creation = this.all('creation').find((one) => one.destination === destination && one.id === id);
    const before = this.all('request').filter(
      (one) =>
        one.process === process &&
        one.destination === destination &&
        one.address === address &&
        one.at < at &&
        (one.what === creation?.lead || one.what === id),
    );
    const last = before.at(-1);
    return last?.method === 'POST' ? last : undefined;
  }
}
