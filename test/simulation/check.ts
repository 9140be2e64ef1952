/**
 * What must hold after a history: the promises of the documentation. The rules know nothing of how the server keeps them.
 *
 * A fact that takes time is known at `at` by who began it, and at `until` by who waited for it. What happens in between
 * may come before or after it. So each rule says from when to when it holds, and which troubles excuse what.
 */
import {isDeepStrictEqual} from 'node:util';
import {referenceOf} from '../../contract/reference.ts';
import type {DeliveryRow} from '../../server/leads/deliveries.ts';
import {nameOf, type Fact, type History, type Request, type Trouble} from './history.ts';

export type Violation = {rule: string; words: string};

type Rule = (facts: Facts, violated: (words: string) => void) => void;
type OfType<Type extends Fact['type']> = Extract<Fact, {type: Type}>;

/** A history, and what several rules ask of it. */
class Facts {
  readonly history: History;
  constructor(history: History) {
    this.history = history;
  }
  all<Type extends Fact['type']>(type: Type): OfType<Type>[] {
    return this.history.facts.filter((fact) => fact.type === type) as OfType<Type>[];
  }

  /** Requests that give a delivery to its destination, by its name, in order. */
  sends(): Map<string, Request[]> {
    const requests = this.all('request').filter(({method}) => method !== 'GET');
    const named = requests.flatMap((request) =>
      request.what.map((what) => [`${request.destination}/${what}`, request] as const),
    );
    return new Map(
      [...Map.groupBy(named, ([name]) => name)].map(([name, group]) => [
        name,
        group.map(([, request]) => request),
      ]),
    );
  }

  /** The name under which the sends of a delivery stand. */
  sentAs({destination, content, lead}: Pick<DeliveryRow, 'destination' | 'content' | 'lead'>): string {
    const {gets} = this.history.agreed[destination] ?? {};
    const what = gets === 'leads' ? lead : gets === 'news' ? `evt_${content}_${lead}` : referenceOf(lead);
    return `${destination}/${what}`;
  }

  /** The delivery of a lead whose destination gives its answer, if any. */
  answering(id: string): DeliveryRow | undefined {
    const [first] = this.all('submission').find(({lead}) => lead === id)?.destinations ?? [];
    const {deliveries} = this.history.stored;
    return deliveries.find(
      ({lead, destination, content}) => lead === id && content === 'lead' && destination === first,
    );
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

  /** Whether a freeze or a clock that was set touches the time. Leases end by the clock, so they excuse long after. */
  hadClocksApart(from: number, to: number): boolean {
    return this.all('trouble').some(
      ({kind, at, until}) => (kind === 'freeze' || kind === 'clock') && at <= to && until >= from - 150_000,
    );
  }

  /** Whether an operator asked for another attempt, so that the ones before do not count. */
  wasAskedFor(name: string, from: number, to: number): boolean {
    return this.all('order').some(
      ({command, deliveries, at, until}) =>
        (command === 'retry' || command === 'settle') &&
        deliveries.includes(name) &&
        until >= from &&
        at <= to,
    );
  }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`;

const rules: Record<string, Rule> = {
  /** No code threw where nobody catches. */
  'nothing fails unnoticed'(facts, violated) {
    for (const {message} of facts.all('failure')) violated(message);
  },

  /** Once all faults are over, nothing waits for longer than the history's patience. */
  'everything comes to rest'({history}, violated) {
    if (history.isQuiet !== false) return;
    const waiting = history.stored.deliveries.filter(({state}) => state === 'waiting');
    violated(`${waiting.length} deliveries wait: ${waiting.slice(0, 3).map(nameOf).join(' ')}`);
  },

  /** From the answer on. */
  'an acknowledged lead is stored with what was sent'(facts, violated) {
    const {leads} = facts.history.stored;
    for (const {lead, content, until} of facts.all('submission')) {
      if (lead === undefined) continue;
      const stored = leads.get(lead);
      if (!stored) violated(`${lead} was acknowledged at ${seconds(until)} and is not there`);
      else if (!content.startsWith(stored.lead.email))
        violated(`${lead} has another content than ${content}`);
    }
  },

  /** Always: keys live longer than a history. */
  'one key is one lead'(facts, violated) {
    const submissions = facts.all('submission');
    for (const [key, group] of Map.groupBy(submissions, ({owner, key}) => `${owner} ${key}`)) {
      const leads = new Set(group.flatMap(({lead}) => lead ?? []));
      if (leads.size > 1) violated(`${key} has ${[...leads].join(' and ')}`);
      const contents = new Set(group.map(({content}) => content));
      if (contents.size === 1 && group.some(({outcome}) => outcome === 'key-reused'))
        violated(`${key} counts as used for another lead`);
    }
    for (const [content, group] of Map.groupBy(submissions, ({owner, content}) => `${owner} ${content}`)) {
      const keys = new Set(group.map(({key}) => key)).size;
      const [first] = group;
      const stored = [...facts.history.stored.leads.values()].filter(
        ({lead, partner}) =>
          first?.content === `${lead.email}${lead.lead_type === 'standard' ? ', standard' : ''}` &&
          (partner ?? 'a caller') === first.owner,
      ).length;
      if (stored > keys) violated(`${content}: ${keys} keys and ${stored} leads`);
    }
  },

  /** A request that began before another one ended may have looked before. */
  'an answer that is done never changes'(facts, violated) {
    for (const words of facts.history.stored.changes) violated(words);
    const heard = [...facts.all('submission'), ...facts.all('reading')].filter(({until}) => until < Infinity);
    for (const group of Map.groupBy(heard, ({lead}) => lead ?? '').values()) {
      const done = group
        .filter(({answer}) => answer?.status === 'done')
        .toSorted((a, b) => a.until - b.until);
      const [first] = done;
      for (const later of first ? group : []) {
        const mayBeOlder = later.at < first!.until && later.answer?.status !== 'done';
        if (!mayBeOlder && !isDeepStrictEqual(later.answer, first?.answer))
          violated(`${later.lead}: ${JSON.stringify(first?.answer)}, then ${JSON.stringify(later.answer)}`);
      }
    }
    for (const {lead, answer, at} of facts.all('reading'))
      if (answer === undefined) violated(`${lead} could not be found at ${seconds(at)}`);
  },

  /** At the end. */
  'a lead has the answer that was given for it'(facts, violated) {
    for (const [id, {answer, duplicateOf}] of facts.history.stored.leads) {
      const answering = facts.answering(id);
      if (duplicateOf !== null || !answering) continue;
      const {destination, state} = answering;
      const isRefused = state === 'refused' || state === 'dropped';
      const status = state === 'delivered' ? 'done' : isRefused ? 'refused' : 'pending';
      if (answer.status !== status) violated(`${id} is ${answer.status}, and its delivery ${state}`);
      if (answer.status !== 'done' || answer.amounts === null) continue;
      const given = facts.all('creation').filter((one) => one.destination === destination && one.lead === id);
      if (!given.some(({amounts}) => isDeepStrictEqual(amounts, answer.amounts)))
        violated(`${id} has amounts that ${destination} did not give for it`);
    }
  },

  /** At the end. A destination that an operator spared the news of a lead hears no more of it, even if it got that news. */
  'those who were told of a lead are told of its answer'(facts, violated) {
    const {leads, deliveries} = facts.history.stored;
    const drops = facts.all('order').filter(({command}) => command === 'drop');
    const dropped = new Set(drops.flatMap((drop) => drop.deliveries));
    for (const told of deliveries) {
      const {lead, destination, content} = told;
      const {answer, duplicateOf} = leads.get(lead) ?? {};
      const isTold = (content === 'created' || content === 'held') && !dropped.has(nameOf(told));
      if (!isTold || !answer || answer.status === 'pending' || duplicateOf !== null || !facts.answering(lead))
        continue;
      const news = answer.status === 'done' ? 'answered' : 'refused';
      const isNews = (one: DeliveryRow) =>
        one.lead === lead && one.destination === destination && one.content === news;
      if (!deliveries.some(isNews)) violated(`${destination} is not told that ${lead} was ${news}`);
    }
  },

  /** From the answer on. A duplicate goes to no destination that gets leads. */
  'an acknowledged lead has a delivery to each of its destinations'(facts, violated) {
    const {leads, deliveries} = facts.history.stored;
    for (const {lead, destinations, outcome} of facts.all('submission')) {
      const stored = outcome === 'created' && lead ? leads.get(lead) : undefined;
      for (const destination of stored ? destinations : []) {
        const isMerged = stored?.duplicateOf !== null && facts.history.agreed[destination]?.gets === 'leads';
        if (!isMerged && !deliveries.some((one) => one.lead === lead && one.destination === destination))
          violated(`${lead} has none to ${destination}`);
      }
    }
  },

  /** At the end. */
  'what counts as delivered has arrived'(facts, violated) {
    const sends = facts.sends();
    for (const delivery of facts.history.stored.deliveries) {
      const hasArrived = sends.get(facts.sentAs(delivery))?.some((request) => request.hasArrived);
      if (delivery.state === 'delivered' && !hasArrived) violated(nameOf(delivery));
    }
  },

  /** At the end. */
  'nothing is claimed for ever'({history}, violated) {
    for (const delivery of history.isQuiet ? history.stored.deliveries : [])
      if (delivery.leasedUntil > 0) violated(`${nameOf(delivery)} is ${delivery.state}, and leased`);
  },

  /** Always: a receiver drops repeats by the id of the event, so an id must not mean two things. */
  'the body of an event is constant'(facts, violated) {
    const events = facts
      .all('request')
      .filter(({destination}) => facts.history.agreed[destination]?.gets === 'news');
    for (const [event, group] of Map.groupBy(events, ({what}) => what.join()))
      if (new Set(group.map(({body}) => body)).size > 1) violated(event);
  },

  /** Always. An e-mail may report a lead several times. */
  'only what is stored is sent, and no duplicate'(facts, violated) {
    for (const {destination, what, method} of facts.all('request')) {
      if (facts.history.agreed[destination]?.gets !== 'leads' || method !== 'POST') continue;
      const lead = facts.history.stored.leads.get(what[0] ?? '');
      if (!lead) violated(`${what.join()} is not stored`);
      else if (lead.duplicateOf !== null) violated(`${what.join()} is a duplicate`);
    }
  },

  /**
   * From one attempt to the next. A process that died, stopped, or could not write may not know how its attempt ended, and
   * an operator may ask for another.
   */
  'what was taken or refused is not sent again'(facts, violated) {
    for (const [name, sends] of facts.sends()) {
      for (const [last, next] of pairs(sends)) {
        const {gets} = facts.history.agreed[next.destination]!;
        if (gets === 'digests') continue;
        const delivery = gets === 'leads' ? `${next.destination}/lead/${next.what.join()}` : deliveryOf(next);
        const isExcused =
          facts.had(last.process, ['crash', 'store', 'slow-store'], last.at, next.at) ||
          facts.had(last.process, ['stop'], last.at - 12_000, next.at) ||
          facts.hadClocksApart(last.at, next.at) ||
          facts.wasAskedFor(delivery, last.at, next.at);
        const isOver = last.outcome === 'taken' || (last.outcome === 'refused' && gets === 'leads');
        if (isOver && !isExcused)
          violated(`${name} was ${last.outcome} at ${seconds(last.until)}, and sent at ${seconds(next.at)}`);
      }
    }
  },

  /** At each moment. A process that died does not see its request end, and a lease ends by a clock. */
  'no delivery is under way twice at once'(facts, violated) {
    for (const [name, sends] of facts.sends()) {
      for (const [last, next] of pairs(sends)) {
        if (facts.history.agreed[next.destination]?.gets === 'digests' || last.until <= next.at) continue;
        const isExcused =
          facts.had(last.process, ['crash', 'stop'], last.at, next.at) ||
          facts.hadClocksApart(last.at, next.at);
        if (!isExcused)
          violated(
            `${name} at ${seconds(last.at)} by ${last.process}, and at ${seconds(next.at)} by ${next.process}`,
          );
      }
    }
  },

  /** From one order of an operator to the next. What a crash cut off counts as unclear. */
  'a lead is sent no more often than agreed while it is unclear whether it arrived'(facts, violated) {
    for (const [name, sends] of facts.sends()) {
      const [first] = sends;
      const {gets, mostSends} = facts.history.agreed[first?.destination ?? '']!;
      if (gets !== 'leads') continue;
      const delivery = `${first?.destination}/lead/${first?.what.join()}`;
      let [unreadable, cut] = [0, 0];
      for (const [index, send] of sends.entries()) {
        const last = sends[index - 1];
        if (last && facts.wasAskedFor(delivery, last.at, send.at)) [unreadable, cut] = [0, 0];
        // Without a reply the destination may just be away, so such attempts are limited only where one is too many.
        if (mostSends === 1 && last?.outcome === 'unclear' && !facts.wasAskedFor(delivery, last.at, send.at))
          violated(`${name} was unclear at ${seconds(last.until)}, and sent at ${seconds(send.at)}`);
        if (Math.max(unreadable, cut) >= mostSends)
          violated(`${name} was sent at ${seconds(send.at)} once more`);
        if (send.isUnreadable && send.outcome === 'unclear') unreadable += 1;
        if (send.outcome === undefined) cut += 1;
      }
    }
  },

  /** Once every process had time to notice. The amounts of a lead that was sent before may still be fetched. */
  'nothing is sent to a destination that is paused'(facts, violated) {
    const orders = facts.all('order');
    for (const pause of orders.filter(({command}) => command === 'pause')) {
      const {destination} = pause;
      const end = Math.min(
        ...orders
          .filter(
            (one) => one.command === 'resume' && one.destination === destination && one.until >= pause.at,
          )
          .map(({at}) => at),
      );
      const since = pause.until + facts.history.noticing;
      const isSecondStep = (second: Request) =>
        facts
          .all('request')
          .some((first) => first.process === second.process && isFirstStepOf(facts, first, second));
      for (const request of facts.all('request')) {
        const {process, at} = request;
        if (request.destination !== destination || at <= since || at >= end || isSecondStep(request))
          continue;
        if (facts.had(process, ['store', 'slow-store', 'freeze'], pause.at, at)) continue;
        violated(
          `${destination} got ${request.what.join()} at ${seconds(at)}, paused at ${seconds(pause.at)}`,
        );
      }
    }
  },

  /** From the order on, until an operator asks for it after all. */
  'what an operator dropped is not sent'(facts, violated) {
    const sends = facts.sends();
    for (const drop of facts.all('order').filter(({command}) => command === 'drop')) {
      for (const delivery of facts.history.stored.deliveries) {
        if (delivery.state !== 'dropped' || !drop.deliveries.includes(nameOf(delivery))) continue;
        if (facts.history.agreed[delivery.destination]?.gets === 'digests') continue;
        for (const {at} of sends.get(facts.sentAs(delivery)) ?? [])
          if (
            delivery.settledAt !== null &&
            at > drop.until &&
            !facts.wasAskedFor(nameOf(delivery), drop.at, Infinity)
          )
            violated(`${nameOf(delivery)} at ${seconds(at)}, dropped at ${seconds(drop.until)}`);
      }
    }
  },

  /** Always, until an operator releases it. The news that it is held goes to those who decide. */
  'a lead that is held is not sent'(facts, violated) {
    const sends = facts.sends();
    for (const [lead, group] of Map.groupBy(facts.all('submission'), ({lead = ''}) => lead)) {
      if (!group.every(({isHeld}) => isHeld)) continue;
      for (const delivery of facts.history.stored.deliveries) {
        if (delivery.lead !== lead || !['lead', 'created'].includes(delivery.content)) continue;
        if (facts.history.agreed[delivery.destination]?.gets === 'digests') continue;
        for (const {at} of sends.get(facts.sentAs(delivery)) ?? [])
          if (!facts.wasAskedFor(nameOf(delivery), 0, at)) violated(`${nameOf(delivery)} at ${seconds(at)}`);
      }
    }
  },

  /** At each moment, in each process. */
  'no more is under way at once, and in a second, than agreed'(facts, violated) {
    const requests = facts.all('request');
    for (const [destination, {gets, parallel, perSecond = Infinity}] of Object.entries(
      facts.history.agreed,
    )) {
      const own = Map.groupBy(
        requests.filter((one) => one.destination === destination),
        ({process}) => process,
      );
      for (const [process, group] of own) {
        for (const {at} of gets === 'digests' ? [] : group) {
          const died = facts
            .all('trouble')
            .filter((one) => one.process === process && ['crash', 'stop'].includes(one.kind));
          const isOpen = (one: Request) =>
            one.at <= at && one.until > at && !died.some((death) => death.at >= one.at && death.at <= at);
          const open = group.filter(isOpen).length;
          if (open > parallel) violated(`${destination}: ${open} at ${seconds(at)}`);
          const begun = group.filter((one) => one.at >= at && one.at < at + 5_000).length;
          if (begun > 5 * perSecond + 1 + parallel)
            violated(`${destination}: ${begun} in 5 s from ${seconds(at)}`);
        }
      }
    }
  },

  /**
   * At the end of a history in which no process died or waited for longer than a lease: then each process knows what it
   * never sent, and can say so in time.
   */
  'nothing is held as unclear that was never sent'(facts, violated) {
    if (facts.all('trouble').some(({kind}) => kind !== 'store')) return;
    const sends = facts.sends();
    for (const delivery of facts.history.stored.deliveries) {
      const {state, ambiguous, content} = delivery;
      if (state === 'held' && ambiguous > 0 && content === 'lead' && !sends.has(facts.sentAs(delivery)))
        violated(nameOf(delivery));
    }
  },

  /** At the end of an attempt, which may be two requests. What the sender itself waits for is not the destination's. */
  'a destination has its time before it is given up'(facts, violated) {
    const requests = facts.all('request');
    for (const request of requests.filter(({isGivenUp}) => isGivenUp)) {
      const {process, destination, at, until} = request;
      const first = requests.findLast(
        (one) => one.until <= at && one.process === process && isFirstStepOf(facts, one, request),
      );
      const had = until - at + (first ? first.until - first.at : 0);
      if (had < facts.history.attempt - 1 && !facts.had(process, ['freeze'], at, until))
        violated(`${destination} had ${seconds(had)} for ${request.what.join()} at ${seconds(at)}`);
    }
  },

  /** In histories without troubles of processes. */
  'attempts that are counted were sent'(facts, violated) {
    if (facts.all('trouble').length > 0) return;
    const sends = facts.sends();
    for (const delivery of facts.history.stored.deliveries) {
      const {gets} = facts.history.agreed[delivery.destination] ?? {};
      const requests = sends.get(facts.sentAs(delivery)) ?? [];
      if (gets === 'news' && (delivery.attempts !== requests.length || delivery.ambiguous > 0))
        violated(
          `${nameOf(delivery)}: ${requests.length} sent, ${delivery.attempts} counted, ${delivery.ambiguous} unclear`,
        );
      const isWell =
        facts.all('request').every(({outcome}) => outcome === 'taken') &&
        facts.all('order').every(({command}) => command === 'resume');
      if (isWell && delivery.attempts !== (delivery.state === 'held' ? 0 : 1))
        violated(`${nameOf(delivery)}: ${delivery.attempts} attempts without a fault`);
    }
  },
};

/** Each request with the next one. */
const pairs = (requests: readonly Request[]) =>
  requests.slice(1).map((next, index) => [requests[index]!, next] as const);

/** The delivery of an event, by its id: `evt_created_<lead>`. */
function deliveryOf({destination, what: [event = '']}: Request): string {
  const [, content, lead] = event.split('_');
  return `${destination}/${content}/${lead}`;
}

/** Whether one request gave the lead to its destination of which the other fetches the amounts. */
function isFirstStepOf(facts: Facts, {method, what}: Request, second: Request): boolean {
  const creation = facts
    .all('creation')
    .find(({destination, id}) => destination === second.destination && id === second.what[0]);
  return method === 'POST' && second.method === 'GET' && creation !== undefined && what[0] === creation.lead;
}

/** All violations of all rules. */
export function check(history: History): Violation[] {
  const facts = new Facts(history);
  return Object.entries(rules).flatMap(([rule, hold]) => {
    const violations: Violation[] = [];
    hold(facts, (words) => violations.push({rule, words}));
    return violations;
  });
}
