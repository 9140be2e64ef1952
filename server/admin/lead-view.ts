/** Whether leads may be called, as `mayCall` says, from what the store knows of each. */
import {z} from 'zod';
import {referenceOf} from '../../contract/reference.ts';
import type {FullLead, ListedLead} from '../leads/lead-filter.ts';
import {
  callAnswers,
  callReasonNames,
  callReasonWords,
  callAnswerWords,
  mayCall,
  type CallFacts,
  type MayCall,
} from '../leads/may-call.ts';
import {idsOf, isoTime, time, type OnlyStore} from './admin.ts';
import {detailsOf} from './lead-details.ts';
import {stopsOf} from './stops.ts';

/** What else the store has of some leads: their deliveries that have not ended, and the ids of their newest corrections. */
export const besidesOf = async ({store}: OnlyStore, ids: readonly string[]) => ({
  open: Map.groupBy(await store.openDeliveriesOf(ids), ({lead}) => lead),
  corrections: await store.corrections(ids),
});

/**
 * What decides whether each lead may be called, by the id of the lead.
 * @param besides for callers that have read it already
 */
export async function callFactsOf(
  {store}: OnlyStore,
  leads: readonly ListedLead[],
  besides?: Awaited<ReturnType<typeof besidesOf>>,
): Promise<Map<string, CallFacts>> {
  const isReadable = (lead: ListedLead): lead is FullLead =>
    'lead' in lead && !('unreadable' in detailsOf(lead));
  const ids = idsOf(leads);
  const readable = new Map(leads.filter(isReadable).map((lead) => [lead.id, lead]));
  const stops = await stopsOf({store}, [...readable.values()]);
  const {open, corrections} = besides ?? (await besidesOf({store}, ids));
  // Whether somebody said stop is in clear beside what cannot be read.
  const damaged = ids.filter((id) => !readable.has(id));
  const records = damaged.length > 0 ? await store.findRecords(damaged) : new Map<string, never>();
  const factsOf = (lead: ListedLead): CallFacts => {
    const known = {
      isErased: 'erasedAt' in lead,
      isHeld: open.get(lead.id)?.some(({state, reason}) => state === 'held' && reason === 'suspect'),
      correctedBy: corrections.get(lead.id),
    };
    const full = readable.get(lead.id);
    if (!full) {
      const revoked = records.get(lead.id)?.revoked;
      return {...known, ...(revoked && {stop: {why: 'stopped', at: revoked.at}})};
    }
    const stop = stops.get(lead.id);
    // A lead that is held because of its number counts as stopped, even if nobody knows any more when that was said.
    const isStopped = stop?.why === 'unknown' && full.isSuppressed;
    return {
      ...{...known, lead: full.lead, consent: full.consent, addressStoppedAt: full.mailboxStoppedAt},
      stop: isStopped ? {...stop, why: 'stopped'} : stop,
    };
  };
  return new Map(leads.map((lead) => [lead.id, factsOf(lead)]));
}

/** Whether each may be called now, by its id. */
export async function callsOf(admin: OnlyStore, leads: readonly ListedLead[]): Promise<Map<string, MayCall>> {
  const [facts, now] = [await callFactsOf(admin, leads), Date.now()];
  return new Map([...facts].map(([id, each]) => [id, mayCall(each, now)]));
}

/**
 * For programs.
 * - `at`: when that was said which forbids the call; `until`: when the answer changes by itself
 * - `there`: what time it is where the phone is; `hours`: from when, or until when it may be called
 * - `presumed`: where the phone is, is presumed from its area code
 * - `text`: the answer and the reason, for people
 */
export const callRow = z.object({
  answer: z.enum(callAnswers),
  reason: z.enum(callReasonNames as [(typeof callReasonNames)[number], ...typeof callReasonNames]),
  at: time.nullable(),
  until: time.nullable(),
  there: z.string().nullable(),
  hours: z.string().nullable(),
  presumed: z.boolean(),
  corrected_by: z.string().nullable(),
  text: z.string(),
});
export type CallRow = z.infer<typeof callRow>;

/** Such as `Do not call: somebody with this number said stop`. */
export const callWords = (call: MayCall): string =>
  `${callAnswerWords[call.answer]}: ${callReasonWords(call)}`.replace(/: $/, '');

export const toCallRow = (call: MayCall): CallRow => ({
  ...{answer: call.answer, reason: call.reason, at: isoTime(call.at), until: isoTime(call.until)},
  ...{there: call.there, hours: call.hours, presumed: call.isPresumed},
  corrected_by: call.correctedBy === null ? null : referenceOf(call.correctedBy),
  text: callWords(call),
});
