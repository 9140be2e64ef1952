/** Who must not be called, because somebody with the number said stop. */
import {endedStates} from '../leads/deliveries.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {everybody, scopeOf, type Suppression} from '../leads/revocation.ts';
import type {Admin} from './admin.ts';
import {storedOf} from './deliveries.ts';

/** Whether a number is suppressed for leads of a partner. */
export const isFor = (partner: string | null, {scope}: Suppression) =>
  [everybody, scopeOf(partner)].includes(scope);

/**
 * When somebody with its number said stop, by the id of each lead that nobody may call for that. Null if it cannot be found out.
 * A lead with deliveries was compared when it came, so one that is not held was let go. Others are compared here.
 */
export async function stopsOf(
  {store}: Pick<Admin, 'store'>,
  leads: readonly FullLead[],
): Promise<Map<string, number | null>> {
  const stops = new Map<string, number | null>();
  const digestsOf = (some: readonly FullLead[]) => store.numberDigests(some.map(({lead}) => lead.phone.e164));
  // A key that is missing is not made here: readers may write nothing.
  const {phone} = (await store.personDigests({phone: ''})).digests;
  const all = phone === undefined ? await store.suppressions() : [];
  const isKnown = all.length === 0;
  const suppressed = phone === undefined ? [] : await store.suppressions(await digestsOf(leads));
  for (const lead of leads) {
    const {id, createdAt, partner, revoked, isSuppressed} = lead;
    const [digest] = suppressed.length > 0 ? await digestsOf([lead]) : [];
    const stop = suppressed.find(
      (one) => one.digest === digest && isFor(partner, one) && (isSuppressed || one.decidedAt === null),
    );
    const mayBe = stop !== undefined || !isKnown;
    if (revoked) stops.set(id, revoked.at);
    else if (isSuppressed || (stop && stop.since >= createdAt)) stops.set(id, stop?.since ?? null);
    else if (mayBe && (await storedOf({store}, id, [undefined, ...endedStates])).length === 0)
      stops.set(id, stop?.since ?? null);
  }
  return stops;
}
