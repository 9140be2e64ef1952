/** What erasing a lead takes, in words, before it is confirmed. */
import type {PlannedLead} from './erasing.ts';
import {lasting, localDay, placed} from './words.ts';

const whyIncluded = {
  named: '',
  duplicate: 'belongs to a lead that goes: one is a duplicate of the other',
  correction: 'belongs to a lead that goes: one corrects the other',
} as const satisfies Record<PlannedLead['because'], string>;

/** Names and values. */
export function erasureFields(lead: PlannedLead): [name: string, value: string][] {
  const {
    id,
    reference,
    because,
    unreadable,
    was_erased_at,
    has_consent,
    consent_kept_until,
    kept_for,
    kept_until,
  } = lead;
  const isErased = was_erased_at !== null;
  const whole =
    unreadable === null
      ? 'name, e-mail, telephone, answers, amounts, notes, hidden fields, where the visitor came from'
      : `everything but ids, times and partner. It cannot be read (${unreadable}), so no consent can be kept`;
  const consent = has_consent ? 'the kept consent, with name and telephone number' : 'nothing more';
  const left = lead.under_way_until === null ? 0 : Date.parse(lead.under_way_until) - Date.now();
  const kept = `the consent, with name and telephone number, until ${localDay(Date.parse(consent_kept_until ?? ''))}`;
  const sending = `a process may be sending it for up to ${lasting(left + 999)}; the others are told after that`;
  const fields: [string, string][] = [
    ['belongs', whyIncluded[because]],
    [
      'kept for',
      kept_for === null
        ? ''
        : `${kept_for}, until ${localDay(Date.parse(kept_until ?? ''))}: a lawsuit may ask for it`,
    ],
    ['goes', isErased ? (lead.changes ? consent : '') : whole],
    ['stays', consent_kept_until === null ? '' : kept],
    ['will be told', lead.told.join(', ')],
    ...(isErased ? [] : lead.remote_ids).map(({destination, remote_id}): [string, string] => {
      const known = remote_id === null ? 'perhaps, without an id that is known' : `as ${remote_id}`;
      return ['cannot be told', `${destination}, which has it ${known}: ask whoever runs it`];
    }),
    ...(isErased ? [] : lead.former).map(({last_used_at, ...former}): [string, string] => {
      const until = last_used_at === null ? '' : ` until ${localDay(Date.parse(last_used_at))}`;
      const words = `write there "Delete what you have of ${reference}, ${id}"`;
      return ['cannot be told', `formerly ${placed(former)}${until}, which may have it: ${words}`];
    }),
    ['under way', left > 0 ? sending : ''],
  ];
  return fields.filter(([, value]) => value);
}
