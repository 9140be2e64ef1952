/**
 * What must hold after a history: the promises of the documentation. The rules know nothing of how the server keeps them.
 *
 * A request begins at `at`, and its sender knows at `until` how it ended. Its effect may come at any time in between. So
 * each rule says when it holds, and which troubles excuse what.
 */
import {isDeepStrictEqual} from 'node:util';
import type {When} from '../../server/config/routes.ts';
import {onlyForReceivers, type DeliveryRow} from '../../server/leads/deliveries.ts';
import {clockDifference, Facts} from './facts.ts';
import {
  contentOf,
  heardOf,
  nameOf,
  type Allowing,
  type Command,
  type History,
  type Request,
  type Revoking,
  type Start,
} from './history.ts';

export type Violation = {rule: string; words: string};

type Rule = (facts: Facts, violated: (words: string) => void) => void;

/** Milliseconds within which a process that stood still goes on with what it had begun. */
const goingOn = 1_000;

/** How many leads a start erases and stops without a word. */
const few = 20;

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`;

const rules = {
  /** No code threw where nobody catches. */
  'nothing fails unnoticed'(facts, violated) {
    for (const {message} of facts.all('failure')) violated(message);
  },

  /** Once all faults are over, nothing waits for longer than the history's patience. */
  'everything comes to rest'({history}, violated) {
    const waiting = history.stored.deliveries.filter(
      ({state, reason}) => state === 'waiting' && reason !== 'former',
    );
    if (history.isQuiet === false)
      violated(`${waiting.length} deliveries wait: ${waiting.slice(0, 3).map(nameOf).join(' ')}`);
  },

  /** From the answer on. */
  'an acknowledged lead is stored with what was sent'(facts, violated) {
    for (const {lead, content, owner, until} of facts.all('submission')) {
      if (lead === undefined) continue;
      const stored = facts.history.stored.leads.get(lead);
      if (facts.erasing(lead)) continue;
      if (!stored) violated(`${lead} was acknowledged at ${seconds(until)} and is not there`);
      else if (contentOf(stored.lead) !== content)
        violated(`${lead} is ${contentOf(stored.lead)}, not ${content}`);
      else if (stored.partner !== null && stored.partner !== owner) violated(`${lead} is not of ${owner}`);
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
    const keys = Map.groupBy(submissions, ({content}) => content);
    for (const [content, leads] of Map.groupBy(facts.history.stored.leads.values(), ({lead}) =>
      contentOf(lead),
    )) {
      const count = new Set(keys.get(content)?.map(({owner, key}) => `${owner} ${key}`)).size;
      if (leads.length > count) violated(`${content}: ${count} keys and ${leads.length} leads`);
    }
  },

  /**
   * Always: a lead with the same content counts as a duplicate for a day, unless the consent of the other one was revoked.
   * Held leads are not compared.
   */
  'the same lead of a partner is one lead with duplicates'(facts, violated) {
    const created = facts
      .all('submission')
      .filter(({outcome, isCompared}) => outcome === 'created' && isCompared);
    const compared = new Set(created.map(({lead}) => lead));
    const originals = [...facts.history.stored.leads.values()].filter(
      ({id, duplicateOf, revoked}) => compared.has(id) && duplicateOf === null && !revoked,
    );
    for (const [content, leads] of Map.groupBy(
      originals,
      ({partner, lead}) => `${partner} ${contentOf(lead)}`,
    ))
      if (leads.length > 1) violated(`${content} has ${leads.map(({id}) => id).join(' and ')}`);
  },

  /** What was heard by a request that began before another one ended may be older. */
  'an answer that is done never changes'(facts, violated) {
    for (const words of facts.history.stored.changes) violated(words);
    for (const {lead, answer, at, until} of facts.all('reading'))
      if (answer === undefined && (facts.erasing(lead)?.at ?? Infinity) > until)
        violated(`${lead} could not be found at ${seconds(at)}`);
    const atTheEnd = [...facts.history.stored.leads].map(([lead, {answer}]) => ({
      lead,
      answer: heardOf(answer),
      at: Infinity,
      until: Infinity,
    }));
    const heard = [...facts.all('submission'), ...facts.all('reading'), ...atTheEnd].filter(
      ({answer}) => answer,
    );
    // Here, leads are swept within seconds, and a duplicate may come in that moment. No server sweeps a lead within its first
    // day, in which duplicates come.
    const sweeps = facts.all('erasing').filter(({by}) => by === 'sweep');
    const {leads, erased} = facts.history.stored;
    const isOrphan = (lead: string | undefined) =>
      erased.has(leads.get(lead ?? '')?.duplicateOf ?? '') &&
      heard.some((one) => one.lead === lead && sweeps.some(({at, until}) => at < one.at && one.at < until));
    for (const [lead, group] of Map.groupBy(heard, (one) => one.lead)) {
      if (isOrphan(lead)) continue;
      const done = group.filter(({answer}) => answer?.status === 'done');
      const first = done.toSorted((one, other) => one.until - other.until)[0];
      for (const {answer, at} of first ? group : []) {
        const mayBeOlder = at < first!.until && answer?.status !== 'done';
        if (!mayBeOlder && !isDeepStrictEqual(answer, first!.answer))
          violated(`${lead}: ${JSON.stringify(first!.answer)}, then ${JSON.stringify(answer)}`);
      }
    }
  },

  /** At the end. A standard lead has no amounts. */
  'a lead has the answer that was given for it'(facts, violated) {
    for (const [id, {answer, duplicateOf, lead}] of facts.history.stored.leads) {
      const answering = facts.answering(id);
      if (duplicateOf !== null || !answering) continue;
      const {destination, state, remoteId} = answering;
      const isRefused = state === 'refused' || state === 'dropped';
      const status = state === 'delivered' ? 'done' : isRefused ? 'refused' : 'pending';
      if (answer.status !== status) violated(`${id} is ${answer.status}, and its delivery ${state}`);
      if (answer.status !== 'done') continue;
      if ((answer.amounts === null) !== (lead.lead_type === 'standard'))
        violated(`${id} has the wrong amounts or none`);
      // If the lead was sent twice, the answer may be that of either copy, and the id that of the other.
      const given = facts.all('creation').filter((one) => one.destination === destination && one.lead === id);
      if (!given.some((one) => one.id === remoteId))
        violated(`${id} has an id that ${destination} did not give to it`);
      if (answer.amounts !== null && !given.some(({amounts}) => isDeepStrictEqual(amounts, answer.amounts)))
        violated(`${id} has amounts that ${destination} did not give for it`);
    }
  },

  /**
   * At the end. If an operator dropped the first event of a lead, that destination gets no later one, nor does any whose
   * consent was revoked.
   */
  'those who were told of a lead are told of its answer'(facts, violated) {
    const drops = facts.all('command').filter(({name}) => name === 'drop');
    const dropped = new Set(drops.flatMap(({deliveries}) => deliveries));
    for (const delivery of facts.history.stored.deliveries) {
      const {lead, destination, content} = delivery;
      const {answer, duplicateOf, revoked} = facts.history.stored.leads.get(lead) ?? {};
      // One that the amounts decided about has the answer in it.
      const isFirst = content === 'created' && !facts.cameWithAnswer(delivery);
      const isTold = isFirst && !revoked && !dropped.has(nameOf(delivery));
      if (!isTold || !answer || answer.status === 'pending' || duplicateOf !== null || !facts.answering(lead))
        continue;
      const told = answer.status === 'done' ? 'answered' : 'refused';
      if (!facts.deliveriesOf(lead).some((one) => one.destination === destination && one.content === told))
        violated(`${destination} is not told that ${lead} was ${told}`);
    }
  },

  /** From the answer on. A duplicate goes to no destination that gets leads. */
  'an acknowledged lead has a delivery to each of its destinations'(facts, violated) {
    for (const {lead, destinations, outcome} of facts.all('submission')) {
      const stored = outcome === 'created' && lead ? facts.history.stored.leads.get(lead) : undefined;
      for (const destination of stored ? destinations : []) {
        const isMerged = stored?.duplicateOf !== null && facts.gets(destination) === 'leads';
        if (!isMerged && !facts.deliveriesOf(lead ?? '').some((one) => one.destination === destination))
          violated(`${lead} has none to ${destination}`);
      }
    }
  },

  /**
   * At the end: what the rules of the commit say of the answer, however late it came. A refusal that an operator took back has
   * sent the lead as one without amounts.
   */
  'a lead goes where the rules of its commit say'(facts, violated) {
    for (const {lead, rules, outcome, answeredBy} of facts.all('submission')) {
      const stored = outcome === 'created' && lead ? facts.history.stored.leads.get(lead) : undefined;
      if (!rules || !stored || stored.duplicateOf !== null || stored.revoked || facts.erasing(stored.id))
        continue;
      const {answer, lead: fields} = stored;
      if (answer.status === 'pending') continue;
      const amounts = answer.status === 'done' ? answer.amounts : null;
      const expected = (total: number) => {
        const isMet = ({total_at_least: least = 0, lead_type: types}: When) =>
          total >= least && (types?.includes(fields.lead_type) ?? true);
        const taken = rules.filter(({when}) => when && isMet(when));
        const those = taken.length > 0 ? taken : rules.filter(({otherwise}) => otherwise);
        return those.map(({to}) => to).toSorted();
      };
      const ordered = (...names: Command['name'][]) =>
        new Set(
          facts
            .all('command')
            .filter(({name}) => names.includes(name))
            .flatMap(({deliveries}) => deliveries),
        );
      const dropped = ordered('drop');
      const went = facts
        .deliveriesOf(stored.id)
        .filter(({content}) => content === 'created' || content === 'lead')
        .filter((delivery) => delivery.state !== 'dropped' || dropped.has(nameOf(delivery)))
        .flatMap(({destination}) => (destination === answeredBy ? [] : destination))
        .toSorted();
      const isTakenBack = ordered('retry', 'settle').has(`${answeredBy}/lead/${stored.id}`);
      const mayBe = [expected(amounts?.total_qualified_amount ?? 0), ...(isTakenBack ? [expected(0)] : [])];
      if (!mayBe.some((each) => isDeepStrictEqual(each, went)))
        violated(
          `${stored.id} went to ${went.join(' ') || 'nobody'}, and not to ${mayBe.map((each) => each.join(' ')).join(', or ')}`,
        );
    }
  },

  /** At the end. */
  'what counts as delivered has arrived'(facts, violated) {
    for (const delivery of facts.history.stored.deliveries.filter(({state}) => state === 'delivered'))
      if (!facts.sendsOf(delivery).some(({hasArrived}) => hasArrived)) violated(nameOf(delivery));
  },

  /**
   * At the end. What has ended may keep the last lease, which ends by itself: of a lead that was erased, or whose consent was
   * revoked, and where a report under an older lease came late, after a process died or stood still, its clock was set, or its store could not write.
   * Of what a link holds then, the lease says that it may have been sent.
   */
  'nothing is claimed for ever'(facts, violated) {
    const {isQuiet, stored} = facts.history;
    const mayBeLate = facts.all('trouble').length > 0;
    for (const delivery of isQuiet ? stored.deliveries : []) {
      const isEnded = stored.erased.has(delivery.lead) || stored.leads.get(delivery.lead)?.revoked;
      const isHeld = delivery.state === 'held' && delivery.reason === 'suppressed';
      const isLeft = isEnded || (mayBeLate && (delivery.state === 'delivered' || isHeld));
      if (delivery.leasedUntil > 0 && !isLeft)
        violated(`${nameOf(delivery)} is ${delivery.state}, and leased`);
    }
  },

  /**
   * Always: a webhook's receiver drops repeats by the id of the event, so an id must not mean two things. A mailbox drops none,
   * and an e-mail says what is known when it is written.
   */
  'the body of a lead event is constant'(facts, violated) {
    const isEvent = ({destination, method}: Request) =>
      facts.gets(destination) === 'events' && method !== 'MAIL';
    const events = facts.all('request').filter(isEvent);
    for (const [event, group] of Map.groupBy(events, ({destination, what}) => `${destination} ${what}`))
      if (new Set(group.map(({body}) => body)).size > 1) violated(event);
  },

  /** Always. */
  'only what is stored is sent, and no duplicate'(facts, violated) {
    for (const request of facts.all('request')) {
      const gets = facts.gets(request.destination);
      if (request.method === 'GET') continue;
      const id = facts.deliveryOf(request).split('/').at(-1) ?? '';
      const {leads, erased} = facts.history.stored;
      const lead = leads.get(id) ?? erased.get(id);
      if (!lead) violated(`${request.what} is not stored`);
      else if (lead.duplicateOf !== null && gets === 'leads') violated(`${id} is a duplicate`);
    }
  },

  /** From one attempt to the next, unless the process could not store how it ended, or an operator asks for another. */
  'what was taken or refused is not sent again'(facts, violated) {
    for (const {delivery, last, next} of facts.repeats()) {
      const isOver =
        last.outcome === 'taken' || (last.outcome === 'refused' && facts.gets(last.destination) === 'leads');
      const isExcused =
        facts.mayNotHaveStored(last) ||
        facts.mayOverlap(last, next) ||
        facts.wasAskedFor(delivery, last.at, next.at);
      if (isOver && !isExcused)
        violated(
          `${delivery} was ${last.outcome} at ${seconds(last.until)}, and sent at ${seconds(next.at)}`,
        );
    }
  },

  /** At each moment. A process that died does not see its request end. */
  'no delivery is under way twice at once'(facts, violated) {
    for (const {delivery, last, next} of facts.repeats()) {
      const hasDied = facts.had(last.process, ['crash', 'stop'], last.at, next.at);
      if (last.until > next.at && !hasDied && !facts.mayOverlap(last, next))
        violated(
          `${delivery} at ${seconds(last.at)} by ${last.process}, and at ${seconds(next.at)} by ${next.process}`,
        );
    }
  },

  /**
   * A request counts whose reply could not be read, or whose process died. If no reply came, the destination may be down
   * for all leads, so the attempt does not count. Only with a limit of one is the lead held at once. When an operator asks,
   * it is sent once more.
   */
  'a lead is sent no more often than agreed while it is unclear whether it arrived'(facts, violated) {
    const isLead = ({destination, content}: DeliveryRow) =>
      content === 'lead' && facts.gets(destination) === 'leads';
    for (const delivery of facts.history.stored.deliveries.filter(isLead)) {
      const {maxSends = Infinity} = facts.history.agreed[delivery.destination] ?? {};
      let counted = 0;
      let last: Request | undefined;
      for (const send of facts.sendsOf(delivery)) {
        const isAskedFor = last && facts.wasAskedFor(nameOf(delivery), last.at, send.at);
        if (isAskedFor) counted = Math.min(counted, maxSends - 1);
        const isOneTooMany = maxSends === 1 && last?.outcome === 'unclear' && !isAskedFor;
        if (counted >= maxSends || isOneTooMany) violated(`${nameOf(delivery)} at ${seconds(send.at)}`);
        const counts = send.outcome === undefined || (send.outcome === 'unclear' && send.isUnreadable);
        if (counts) counted += 1;
        last = send;
      }
    }
  },

  /**
   * Once every process had time to notice. The amounts of a lead that was sent before may still be fetched. Where no operator has
   * paused, but the destination asked for nothing more, it is still told of stops and erasures.
   */
  'nothing is sent to a destination that is paused, or asked for nothing more'(facts, violated) {
    const {noticing} = facts.history;
    const commands = facts.all('command');
    const gone = facts.all('request').filter(({isGone}) => isGone);
    for (const pause of [...commands.filter(({name}) => name === 'pause'), ...gone]) {
      const isEnd = (one: Command) =>
        one.name === 'resume' && one.destination === pause.destination && one.until >= pause.at;
      const resumedAt = Math.min(...commands.filter(isEnd).map(({at}) => at));
      for (const request of facts.all('request')) {
        const {process, destination, at} = request;
        if (destination !== pause.destination || at <= pause.until + noticing || at >= resumedAt) continue;
        const isOfStops = facts.toldIn(request)?.only !== undefined;
        const isExcused =
          facts.firstStepOf(request) ||
          (pause.type === 'request' && isOfStops) ||
          facts.had(process, ['store', 'slow-store', 'freeze'], at - noticing, at) ||
          // A pause that a process wants to store, and cannot, is only its own.
          (pause.type === 'request' &&
            facts.had(pause.process, ['crash', 'store', 'slow-store'], pause.at, at));
        if (!isExcused)
          violated(`${destination} got ${request.what} at ${seconds(at)}, paused at ${seconds(pause.at)}`);
      }
    }
  },

  /** From the command on, until an operator asks for it after all, or revokes a consent once more. */
  'what an operator dropped is not sent'(facts, violated) {
    for (const {name, deliveries, at, until} of facts.all('command')) {
      for (const delivery of name === 'drop' ? deliveries : []) {
        const [destination = '', content, lead = ''] = delivery.split('/');
        const row = facts
          .deliveriesOf(lead)
          .find((one) => one.destination === destination && one.content === content);
        if (!row) continue;
        for (const send of facts.sendsOf(row)) {
          const last = {...send, at: until};
          const isAnew = (one: Revoking) => one.until >= at && one.at <= send.at && facts.isMeant(one, lead);
          if (content === 'revoked' && facts.all('revoking').some(isAnew)) continue;
          if (send.at > until && !facts.wasAskedFor(delivery, at, send.at) && !facts.mayOverlap(last, send))
            violated(`${delivery} at ${seconds(send.at)}, dropped at ${seconds(until)}`);
        }
      }
    }
  },

  /** Always, until an operator releases it. */
  'a lead that is held is not sent'(facts, violated) {
    for (const [lead, group] of Map.groupBy(facts.all('submission'), (one) => one.lead)) {
      if (lead === undefined || !group.every(({isHeld}) => isHeld)) continue;
      for (const delivery of facts.deliveriesOf(lead)) {
        if (!['lead', 'created'].includes(delivery.content)) continue;
        for (const {at} of facts.sendsOf(delivery))
          if (
            !facts.wasAskedFor(nameOf(delivery), 0, at) &&
            // Whoever released the lead to who answers it has released what its amounts decide.
            !facts.cameWithAnswer(delivery) &&
            !facts.all('allowing').some((one) => one.at <= at && facts.isAllowed(one, lead))
          )
            violated(`${nameOf(delivery)} at ${seconds(at)}`);
      }
    }
  },

  /**
   * When an attempt begins. One that began before a reload ends under the configuration with which it began, and may fetch
   * the amounts of the lead then.
   */
  'nothing is sent by rules that are not in force'(facts, violated) {
    for (const request of facts.all('request')) {
      const {process, destination, address} = request;
      const {at} = facts.firstStepOf(request) ?? request;
      const known = facts.inForce(process, at);
      if (address !== undefined && !known.some((addresses) => addresses[destination] === address))
        violated(`${address} got ${request.what} at ${seconds(request.at)} from ${process}`);
    }
  },

  /**
   * Until an operator accepts the address. If the answer to a submission was lost, the lead may have been stored by that
   * one or by one of its retries. That a lead was erased, or its consent revoked, goes to no address that was
   * accepted later than that.
   */
  'nothing goes to an address for which it was not meant'(facts, violated) {
    const submissions = Map.groupBy(facts.all('submission'), ({owner, key}) => `${owner} ${key}`);
    const byLead = new Map(
      [...submissions.values()].flatMap((group) => group.flatMap(({lead}) => (lead ? [[lead, group]] : []))),
    );
    for (const request of facts.all('request')) {
      const {destination, address, at, method} = request;
      if (address === undefined || method === 'GET') continue;
      const lead = facts.deliveryOf(request).split('/').at(-1) ?? '';
      const group = byLead.get(lead) ?? [];
      const only = facts.toldIn(request)?.only;
      const ended = only === 'erased' ? [facts.erasing(lead)] : only ? facts.revokings(lead) : [];
      const last = ended.length > 0 ? Math.max(...ended.map((one) => one?.until ?? at)) : at;
      const isMeant = group.some(({addresses}) => addresses?.[destination] === address);
      const isAccepted = facts
        .all('command')
        .some((one) => one.destination === destination && one.address === address && one.at <= last);
      if (group.length > 0 && !isMeant && !isAccepted)
        violated(`${address} got ${request.what} at ${seconds(at)}`);
    }
  },

  /** At the end. */
  'nothing is held for its address where no address changed'(facts, violated) {
    const known = new Set(facts.all('configuration').map(({addresses}) => JSON.stringify(addresses)));
    for (const delivery of known.size > 1 ? [] : facts.history.stored.deliveries)
      if (delivery.reason === 'elsewhere') violated(nameOf(delivery));
  },

  /** At each moment, in each process, between two reloads. */
  'no more is under way at once, and begins in a second, than agreed'(facts, violated) {
    for (const [destination, {parallel, perSecond = Infinity}] of Object.entries(facts.history.agreed)) {
      const requests = facts.all('request').filter((one) => one.destination === destination);
      const reloads = ({process, at}: Request) =>
        facts.all('configuration').filter((one) => one.process === process && one.at <= at).length;
      for (const group of Map.groupBy(requests, (one) => `${one.process} ${reloads(one)}`).values()) {
        const process = group[0]?.process;
        const ends = facts
          .all('trouble')
          .filter((one) => one.process === process && ['crash', 'stop'].includes(one.kind));
        for (const {at} of group) {
          const isOpen = (one: Request) =>
            one.at <= at && one.until > at && !ends.some((end) => end.at >= one.at && end.at <= at);
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
    for (const delivery of facts.history.stored.deliveries) {
      const {state, ambiguous, content} = delivery;
      if (state === 'held' && ambiguous > 0 && content === 'lead' && facts.sendsOf(delivery).length === 0)
        violated(nameOf(delivery));
    }
  },

  /**
   * At the end of an attempt, which may be a POST and a GET: the destination has this time for both. What the server waits
   * for its own store does not count.
   */
  'a destination has its time before it is given up'(facts, violated) {
    for (const request of facts.all('request').filter(({isGivenUp}) => isGivenUp)) {
      const {process, destination, at, until} = request;
      const first = facts.firstStepOf(request);
      const had = until - at + (first ? first.until - first.at : 0);
      if (had < facts.history.attempt - 1 && !facts.had(process, ['freeze'], at, until))
        violated(`${destination} had ${seconds(had)} for ${request.what} at ${seconds(at)}`);
    }
  },

  /**
   * In histories without troubles of processes. What goes on while its lead is erased, or its consent revoked, is not counted any more, nor what went
   * to an address before another one was accepted. An attempt for a destination that was removed counts, so that it is looked
   * for ever more rarely.
   */
  'attempts that are counted were sent'(facts, violated) {
    const isEnded = facts.all('erasing').length > 0 || facts.all('revoking').length > 0;
    if (facts.all('trouble').length > 0 || isEnded) return;
    const isWell =
      facts.all('request').every(({outcome}) => outcome === 'taken') &&
      facts.all('command').every(({name}) => name === 'resume' || name === 'accept');
    for (const delivery of facts.history.stored.deliveries) {
      const {attempts, ambiguous, state, destination} = delivery;
      if (facts.all('configuration').some(({addresses}) => !(destination in addresses))) continue;
      if (delivery.formerAddresses.length > 0) continue;
      const sent = facts.sendsOf(delivery).length;
      if (facts.gets(destination) === 'events' && (attempts !== sent || ambiguous > 0))
        violated(`${nameOf(delivery)}: ${sent} sent, ${attempts} counted, ${ambiguous} unclear`);
      const isUnsent = ['held', 'skipped', 'dropped'].includes(state);
      if (isWell && attempts !== (isUnsent ? 0 : 1))
        violated(`${nameOf(delivery)}: ${attempts} without a fault`);
    }
  },

  /** Always. */
  'a lead that was not erased can be read'(facts, violated) {
    for (const words of facts.history.stored.unreadable) violated(words);
  },

  /** From the acknowledgement on. */
  'an erased lead is not found'(facts, violated) {
    for (const {lead, answer, at} of facts.all('reading'))
      if (answer && (facts.erasing(lead)?.until ?? Infinity) < at)
        violated(`${lead} was read at ${seconds(at)}`);
    for (const erasing of facts.all('erasing'))
      if (
        erasing.by === 'operator' &&
        erasing.until < Infinity &&
        facts.history.stored.leads.has(erasing.lead)
      )
        violated(`${erasing.lead} is there, and was erased at ${seconds(erasing.until)}`);
  },

  /** At the end. */
  'what came of calls is erased with the lead'(facts, violated) {
    for (const {lead, id} of facts.history.stored.outcomes)
      if (facts.history.stored.erased.has(lead)) violated(`${id} of ${lead}`);
  },

  /** From the acknowledgement on, however often it came. */
  'what came of a call is recorded once'(facts, violated) {
    const {outcomes, erased} = facts.history.stored;
    for (const {lead, id, until} of facts.all('noting')) {
      const many = outcomes.filter((one) => one.lead === lead && one.id.startsWith(`${id} `)).length;
      if (many > 1 || (many === 0 && until < Infinity && !erased.has(lead)))
        violated(`${id} of ${lead}: ${many}`);
    }
  },

  /** From the acknowledgement on, and after all faults for each key. Before, no key is taken for one of an erased lead. */
  'a retry under the key of an erased lead is told so'(facts, violated) {
    const byKey = Map.groupBy(facts.all('submission'), ({owner, key}) => `${owner} ${key}`);
    for (const [key, group] of byKey) {
      const ends = group.flatMap(({lead}) => (lead ? (facts.erasing(lead)?.until ?? []) : []));
      const erasedAt = Math.min(...ends);
      for (const {at, outcome, isLast} of group) {
        if (at > erasedAt && outcome !== 'erased' && (outcome ?? isLast))
          violated(`${key} is ${outcome ?? 'not answered'} at ${seconds(at)}`);
        if (isLast && outcome === undefined) violated(`${key} is not answered at ${seconds(at)}`);
      }
      for (const {until, outcome} of group)
        if (outcome === 'erased' && !facts.all('erasing').some(({at}) => at <= until))
          violated(`${key} counts as erased at ${seconds(until)}`);
    }
  },

  /**
   * From the acknowledgement on, and once the last lease has ended. A process that stood still, or whose clock was set, does
   * not know that its lease has ended.
   */
  'of an erased lead nothing is sent but what became of it'(facts, violated) {
    for (const request of facts.all('request')) {
      const {process, at} = request;
      const isExcused = (from: number) =>
        facts.had(process, ['freeze'], from - facts.history.lease, at) ||
        facts.all('trouble').some((one) => one.kind === 'clock' && one.at <= at);
      const isLate = (lead: string) => {
        const from = facts.lastHeld(lead) + clockDifference;
        return at > from && !isExcused(from);
      };
      const told = facts.toldIn(request);
      if (told && told.only === undefined && isLate(told.lead))
        violated(`${request.destination} got ${told.lead} at ${seconds(at)}`);
    }
  },

  /** Always, unless a clock was set. */
  'that a lead was erased, or its consent revoked, is told after its last lease'(facts, violated) {
    if (facts.all('trouble').some(({kind}) => kind === 'clock')) return;
    for (const {lead, destination, content, leasedUntil} of facts.history.stored.tellings) {
      const leaseEnd = leasedUntil - facts.history.beginning - clockDifference;
      for (const request of facts.all('request')) {
        if (
          request.destination === destination &&
          facts.tells(request, content, lead) &&
          request.at < leaseEnd
        )
          violated(
            `${request.destination} is told that ${lead} was ${content} at ${seconds(request.at)}, before ${seconds(leaseEnd)}`,
          );
      }
    }
  },

  /**
   * From the first of them on. What was sent before may arrive later, so nothing is under way then. A process that stood
   * still, or whose clock was set, does not know that its lease has ended. One that died does not see its request end.
   */
  'nobody gets a lead after somebody was told that it was erased, or its consent revoked'(facts, violated) {
    if (facts.all('trouble').some(({kind}) => kind === 'clock')) return;
    const all = facts.all('request').flatMap((request) => {
      const told = facts.toldIn(request);
      return told ? {...told, request} : [];
    });
    for (const [lead, group] of Map.groupBy(all, (told) => told.lead)) {
      const ends = group.filter(({only}) => only !== undefined);
      const first = Math.min(...ends.map(({request}) => request.at));
      for (const {only, request} of group) {
        const {process, destination, at, until, what} = request;
        const isExcused =
          facts.had(process, ['freeze'], at - facts.history.lease, first) ||
          (at < first && facts.had(process, ['crash', 'stop'], at, first));
        if (only === undefined && until > first && !isExcused)
          violated(
            `${destination} got ${what} from ${seconds(at)} to ${seconds(until)}, and ${lead} was told of at ${seconds(first)}`,
          );
      }
    }
  },

  /**
   * At the end, where an operator erased it. What the retention job erases is told to nobody, nor to those who get leads, nor to an
   * address before another one was accepted.
   */
  'all who had an event of an erased lead are told that it was erased'(facts, violated) {
    for (const [lead] of facts.history.stored.erased) {
      const erasing = facts.erasing(lead);
      const tellings = facts.deliveriesOf(lead).filter(({content}) => content === 'erased');
      for (const {destination} of tellings)
        if (erasing?.by === 'sweep' || facts.gets(destination) === 'leads')
          violated(`${destination} is told of ${lead}`);
      if (erasing?.by !== 'operator') continue;
      const had = facts
        .all('request')
        .filter((request) => facts.gets(request.destination) !== 'leads' && facts.leadOf(request) === lead);
      for (const destination of new Set(had.map((request) => request.destination))) {
        const delivery = tellings.find((one) => one.destination === destination);
        const isFormer = facts
          .deliveriesOf(lead)
          .some((one) => one.destination === destination && one.formerAddresses.length > 0);
        if (!delivery && !isFormer) violated(`${destination} had an event of ${lead}`);
        else if (delivery?.state === 'skipped') violated(`${nameOf(delivery)} is skipped`);
      }
    }
  },

  /** Always, however long a receiver fails, whatever it answers, and whatever becomes of its lead. */
  'the event of a stop or an erasure ends only if it arrives, or is dropped by name'(facts, violated) {
    const drops = facts.all('command').filter(({isOfStops}) => isOfStops);
    for (const delivery of facts.history.stored.deliveries) {
      if (!onlyForReceivers.includes(delivery.content)) continue;
      const isDropped = drops.some(({deliveries}) => deliveries.includes(nameOf(delivery)));
      if (!['delivered', 'waiting'].includes(delivery.state) && !isDropped)
        violated(`${nameOf(delivery)} is ${delivery.state}`);
    }
  },

  /** Always: what waits for an operator, or for its destination, would be lost. */
  'a sweep takes no lead with open deliveries'(facts, violated) {
    for (const [lead, {erasedAt}] of facts.history.stored.erased) {
      if (facts.erasing(lead)?.by !== 'sweep') continue;
      for (const delivery of facts.deliveriesOf(lead))
        if (delivery.state === 'dropped' && delivery.settledAt === erasedAt)
          violated(`${nameOf(delivery)} was dropped`);
    }
  },

  /** Whenever the log was emptied: everything is encrypted. */
  'nothing personal is in a file'(facts, violated) {
    for (const {at, found} of facts.all('search'))
      for (const each of found) violated(`${each} at ${seconds(at)}`);
  },

  /**
   * From the acknowledgement on, for as long as no operator lets a later lead go, or its number. Nobody waits at a link for the end of
   * leases. A start that finds no key of the digests, after a restore, says which numbers it cannot hold. Of leads with the number of a link and another mailbox, it holds those that come later. A process whose clock was set does not know when its lease ends, but begins nothing after the time that a lease lasts. One that stood still in the middle of an
   * attempt goes on with it, and does not know that its lease has ended.
   */
  'nothing of a lead begins after its consent was revoked'(facts, violated) {
    const clocks = facts.all('trouble').filter(({kind}) => kind === 'clock');
    // Of several submissions of a lead, the first one.
    const submissions = facts.all('submission').toReversed();
    const sent = new Map(submissions.map((submission) => [submission.lead, submission]));
    for (const revoking of facts.all('revoking'))
      for (const request of facts.all('request')) {
        const {at, destination, process} = request;
        const isUnderLease =
          (revoking.link !== undefined || clocks.some((clock) => clock.at <= at)) &&
          at <= revoking.until + facts.history.lease;
        const hasStoodStill = facts.had(process, ['freeze'], at - goingOn, at);
        if (at <= revoking.until || isUnderLease || hasStoodStill) continue;
        const told = facts.toldIn(request);
        if (!told || told.only !== undefined) continue;
        const {lead} = told;
        const isAsked = () =>
          facts.concerns(revoking, lead) &&
          !facts.isDecided(revoking, 'perhaps') &&
          (sent.get(lead)?.at ?? 0) > revoking.until;
        if (!facts.isMeant(revoking, lead) && !isAsked()) continue;
        const isLater = (sent.get(lead)?.until ?? Infinity) > revoking.at && !revoking.leads.includes(lead);
        const isExcused = (one: Allowing) =>
          one.until >= revoking.at && one.at <= at && facts.isAllowed(one, lead);
        const cannotHold = (one: Start) =>
          one.at > revoking.at && one.at < at && one.doubts.some((text) => text.includes('cannot be held'));
        if (isLater && facts.all('start').some(cannotHold)) continue;
        if (!isLater || !facts.all('allowing').some(isExcused))
          violated(
            `${destination} got ${lead} at ${seconds(at)}, revoked from ${seconds(revoking.at)} to ${seconds(revoking.until)}`,
          );
      }
  },

  /**
   * At the end, where the command knew the address at which they had it, and no other. Who was told for the partner is told
   * again when it is for all.
   */
  'all who had an event of a lead are told that its consent was revoked'(facts, violated) {
    const {leads, erased} = facts.history.stored;
    for (const lead of [...leads.keys(), ...erased.keys()]) {
      const revokings = facts.revokings(lead);
      const scope = revokings[0]?.partner === undefined ? 'all' : 'partner';
      if (revokings.length === 0) continue;
      const had = facts
        .all('request')
        .filter(
          (request) =>
            facts.gets(request.destination) !== 'leads' &&
            facts.leadOf(request) === lead &&
            facts.toldIn(request)?.only === undefined,
        );
      for (const [destination, group] of Map.groupBy(had, (request) => request.destination)) {
        const isElsewhere = ({addresses}: Revoking) =>
          group.some(({address}) => address !== addresses[destination]);
        if (revokings.some(isElsewhere)) continue;
        const delivery = facts
          .deliveriesOf(lead)
          .find((one) => one.destination === destination && one.content === 'revoked');
        const isRight = (one: Request) => one.what === `evt_revoked_${scope}_${lead}`;
        if (!delivery) violated(`${destination} had an event of ${lead}`);
        else if (delivery.state === 'skipped') violated(`${nameOf(delivery)} is skipped`);
        else if (
          delivery.state === 'delivered' &&
          !facts.sendsOf(delivery).some((one) => one.hasArrived && isRight(one))
        )
          violated(`${nameOf(delivery)} was not told for whom`);
      }
    }
  },

  /** From the acknowledgement on: the earlier lead is sent no more, so the later one would be lost. */
  'no lead is merged into one whose consent was revoked'(facts, violated) {
    for (const {until, leads} of facts.all('revoking'))
      for (const {at, lead = '', outcome} of facts.all('submission')) {
        const original = facts.history.stored.leads.get(lead)?.duplicateOf;
        if (outcome === 'created' && at > until && typeof original === 'string' && leads.includes(original))
          violated(`${lead} came at ${seconds(at)}, and ${original} was revoked at ${seconds(until)}`);
      }
  },

  /** Always: before anything is shown, and before it is said that it was changed. */
  'no operator sees or changes a lead without a row'(facts, violated) {
    for (const {at, leads, noted} of facts.all('looking'))
      for (const lead of leads) if (!noted.includes(lead)) violated(`${lead} at ${seconds(at)}`);
  },

  /**
   * At the end, where no consent was revoked since, or for more than was allowed. A link that is older than what an operator
   * decided holds nothing.
   */
  'what an operator allowed is not held because of its number'(facts, violated) {
    const breadth = ({partner, cid}: Pick<Revoking, 'partner' | 'cid'>) =>
      partner === undefined ? 2 : Number(cid === undefined);
    for (const allowing of facts.all('allowing').filter(({until}) => until < Infinity))
      for (const delivery of facts.history.stored.deliveries) {
        const {lead, state, reason} = delivery;
        const isSince = facts
          .all('revoking')
          .some(
            (one) =>
              (one.until >= allowing.at || ('phone' in allowing && breadth(one) > breadth(allowing))) &&
              (one.leads.includes(lead) || facts.concerns(one, lead)) &&
              !facts.isDecided(one, 'surely'),
          );
        const isHeld = state === 'held' && reason === 'suppressed';
        if (isHeld && !isSince && facts.isAllowed(allowing, lead))
          violated(`${nameOf(delivery)} was allowed at ${seconds(allowing.until)}`);
      }
  },

  /**
   * Always: a link stops nothing that has another mailbox, and no stop reaches another partner, or callers of another client. Where a
   * client heard nothing of a lead that is erased, nobody knows whose it is.
   */
  'only a stop that covers a lead revokes its consent, or holds it'(facts, violated) {
    const {leads, erased} = facts.history.stored;
    for (const [id, {revoked}] of [...leads, ...erased])
      if (revoked && facts.from(id) && !facts.all('revoking').some((one) => facts.mayStop(one, id)))
        violated(`the consent of ${id} is revoked`);
    for (const [id, {isSuppressed}] of leads)
      if (isSuppressed && !facts.all('revoking').some((one) => facts.concerns(one, id)))
        violated(`${id} is held`);
  },

  /**
   * From the first press that was acknowledged on, until an operator lets the number go. Others that press the same link at the same time,
   * in another process, do not know of each other.
   */
  'a link that is pressed again writes nothing'(facts, violated) {
    const presses = facts.all('revoking').filter(({link}) => link !== undefined);
    for (const again of presses) {
      const {at, until, phone} = again;
      const same = presses.filter(({link}) => link?.lead === again.link?.lead);
      const before = same.filter((one) => one.until < at);
      const isDisturbed = same.some((one) => one !== again && one.at <= until && one.until >= at);
      const isAllowed = facts
        .all('allowing')
        .some((one) => 'phone' in one && one.phone === phone && one.at <= until);
      const [had = 0, has = 0] = again.link?.lines ?? [];
      if (until < Infinity && before.length > 0 && has > had && !isDisturbed && !isAllowed)
        violated(`${has - had} lines for ${again.link?.lead} at ${seconds(at)}`);
    }
  },

  /**
   * Always, unless the database was replaced since another start, another store wrote to the file, or something was not done to its end
   * that had been written there.
   */
  'a start repairs nothing of a healthy store'(facts, violated) {
    const starts = facts.all('start');
    for (const {process, changed, at, until, isAsked} of starts) {
      if (!changed || isAsked) continue;
      const isDone = starts.filter((one) => one.until < at);
      const isRestored = facts
        .all('restoring')
        .some((one) => one.at <= until && !isDone.some((start) => start.at > one.at));
      const begun = [...facts.all('erasing'), ...facts.all('revoking'), ...facts.all('allowing')];
      const isOpen = begun.some((one) => one.at <= until && one.until >= at);
      if (!isRestored && !isOpen) violated(`${process} did ${JSON.stringify(changed)} at ${seconds(at)}`);
    }
  },

  /**
   * Always, unless an operator says so: a copy of the store that has the same file must not erase it. A lead may be both revoked and
   * erased.
   */
  'a start changes few leads without a word'(facts, violated) {
    for (const {process, changed, at, isAsked} of facts.all('start'))
      if (changed && !isAsked && Math.max(changed.erased, changed.revoked) > few)
        violated(`${process} did ${JSON.stringify(changed)} at ${seconds(at)}`);
  },
} satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

/** What holds even where the database was replaced by an earlier copy. All else is lost with what came since. */
const afterRestore: readonly RuleName[] = [
  'nothing fails unnoticed',
  'everything comes to rest',
  'nothing is sent by rules that are not in force',
  'a lead that was not erased can be read',
  'an erased lead is not found',
  'what came of calls is erased with the lead',
  'of an erased lead nothing is sent but what became of it',
  'nothing personal is in a file',
  'nothing of a lead begins after its consent was revoked',
  'no operator sees or changes a lead without a row',
  'only a stop that covers a lead revokes its consent, or holds it',
  'a link that is pressed again writes nothing',
  'a start repairs nothing of a healthy store',
  'a start changes few leads without a word',
];

/** All violations of all rules. */
export function check(history: History): Violation[] {
  const facts = new Facts(history);
  const isRestored = facts.all('restoring').length > 0;
  const inForce = Object.entries<Rule>(rules).filter(
    ([rule]) => !isRestored || afterRestore.includes(rule as RuleName),
  );
  return inForce.flatMap(([rule, hold]) => {
    const violations: Violation[] = [];
    hold(facts, (words) => violations.push({rule, words}));
    return violations;
  });
}
