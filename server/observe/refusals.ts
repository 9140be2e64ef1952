/** Requests that were refused since the start of this process, for its report in the store (reload/reloads.ts). */
import {paths} from '../../contract/api.ts';
import type {Config} from '../config/config.ts';
import type {Emit, Observation} from './observations.ts';

/**
 * - `partner`: null for the callers of `/json/leads`
 * - `reason`: the code of the problem that was most frequent among them
 */
export type RefusalCount = {partner: string | null; requests: number; reason: string};

export const isOfCaller = (path: string): boolean => path.startsWith(paths.leads);

/** Why a request to one of the two APIs was refused, and by whose page or caller it was sent. Undefined if it was taken. */
export function refusalIn({path, partner, isOperation, problem}: Observation<'request-answered'>) {
  if (!isOperation || problem === undefined) return undefined;
  return {partner: isOfCaller(path) ? null : partner, reason: problem};
}

export type Refusals = {emit: Emit; counts: () => RefusalCount[]};

/** Names that no partner has are not counted, so that strangers cannot make the counts grow. */
export function countRefusals(inForce: () => Pick<Config, 'partners'>): Refusals {
  const byPartner = new Map<string | null, Map<string, number>>();
  return {
    emit(observation) {
      const refusal = observation.type === 'request-answered' ? refusalIn(observation) : undefined;
      if (!refusal) return;
      const {partner, reason} = refusal;
      if (partner === undefined || (partner !== null && !isKnown(partner))) return;
      const reasons = byPartner.get(partner) ?? new Map<string, number>();
      byPartner.set(partner, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
    },
    counts: () =>
      [...byPartner].map(([partner, reasons]) => {
        const [reason = ''] = [...reasons].toSorted(([, one], [, other]) => other - one)[0] ?? [];
        return {partner, reason, requests: [...reasons.values()].reduce((sum, count) => sum + count, 0)};
      }),
  };

  function isKnown(partner: string) {
    return inForce().partners.some(({key}) => key === partner);
  }
}
