/** One lead for the person who calls: whom, whether, when and how much, and what happened. */
import type {Amounts} from '../../contract/amounts.ts';
import {inPlainWords} from '../../form/consent-text.ts';
import {referenceOf} from '../../contract/reference.ts';
import {suspicionOf} from '../destinations/email/wording.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {timeThere} from '../leads/time-there.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type Admin} from './admin.ts';
import {possibleChanges, type Change} from './changes.ts';
import {storedOf} from './deliveries.ts';
import {showErased, type ShownErased} from './erasing.ts';
import {amountsForPeople, detailsOf} from './lead-details.ts';
import {leadOf} from './lead-names.ts';
import type {ShownLead} from './leads.ts';
import {peopleOf} from './persons.ts';
import {afterwardsOf, stopsOf, type Stop} from './stops.ts';
import {stateOf, type RowState} from './listing.ts';
import {storyOf, type StoryEvent} from './story.ts';
import {printable, visible} from './visible.ts';

/**
 * What was agreed, and taken back.
 * - `mayCall`: null if that is not known
 * - `text`: how it was agreed, such as `Ticked the box`, at the time `at`
 * - `stoppedAt`: when somebody with this number said stop, if nobody may call for that
 * - `askedAt`: when somebody with another address asked to stop it, while nobody has decided
 * - `mailboxStoppedAt`: when somebody with this address said stop, who had another number. That forbids nothing
 * - `language`: a name, such as `Spanish`
 * - `words`: those that were seen, if they were kept
 */
export type SheetConsent = {
  mayCall: boolean | null;
  text: string;
  at: number | null;
  stoppedAt: number | null;
  askedAt: number | null;
  mailboxStoppedAt: number | null;
  language: string | null;
  version: string | null;
  words: string | null;
};

/**
 * Times are milliseconds since 1970, but in `lead` and `erased`.
 * - `lead`, `erased`: null for those who see no persons
 * - `amounts`: as the visitor saw them
 * - `corrects`, `correctedBy`: the id of the lead that this one corrects, and that of its newest correction
 * - `changes`: what can be done now, by those who may
 */
export type CallSheet = {
  id: string;
  reference: string;
  createdAt: number;
  partner: string | null;
  state: RowState;
  lead: ShownLead | null;
  amounts: Amounts | null;
  erased: ShownErased | null;
  unreadable: string | null;
  corrects: string | null;
  correctedBy: string | null;
  consent: SheetConsent | null;
  timeThere: string | null;
  suspicion: string | null;
  story: StoryEvent[];
  changes: Change[];
};

/** @param named the id or the reference. @throws Refusal if there is no such lead */
export async function readCallSheet(
  admin: Admin,
  named: string,
  {seesPersons}: {seesPersons: boolean},
): Promise<CallSheet> {
  const {store, config, look} = admin;
  const id = await leadOf(admin, named);
  const [outline] = await store.listOutlines({id}, {limit: 1});
  if (!outline) throw new Refusal(`There is no lead ${named}.`, 'unknown');
  if (seesPersons) await look({lead: id});
  const open = await storedOf(admin, id, [undefined]);
  const found = seesPersons ? await store.readLead(id) : undefined;
  const {lead, duplicates = [], supersededBy = []} = found ?? {};
  const details = lead && !isErased(lead) ? detailsOf(lead) : undefined;
  const damaged = details && 'unreadable' in details ? details : undefined;
  const became =
    lead && !('unreadable' in lead)
      ? (await afterwardsOf(admin, [lead], (await peopleOf(admin, [id])).people)).get(id)
      : undefined;
  const shown =
    details && became && !('unreadable' in details)
      ? {...details, ...became, duplicates, superseded_by: supersededBy}
      : null;
  const full = shown && lead && 'lead' in lead ? lead : undefined;
  const revoked = lead && 'revoked' in lead ? lead.revoked : undefined;
  const amounts = (shown && amountsForPeople(shown, config)) ?? null;
  const stops = full ? await stopsOf(admin, [full]) : undefined;
  const correctedBy = (await store.corrections([id])).get(id) ?? null;
  const stop = stops?.get(id);
  const isAsked = stop?.why === 'asked';
  const so = {isStopped: stop !== undefined && !isAsked, isCorrected: correctedBy !== null};
  const told = {outline, open, full, amounts, duplicates, supersededBy, revoked, stops: became?.stops};
  return {
    ...{id, reference: referenceOf(id), createdAt: outline.createdAt, partner: outline.partner},
    state: stateOf(damaged ?? lead ?? outline, open, so),
    ...{lead: shown, amounts, unreadable: damaged?.unreadable ?? null},
    ...{corrects: outline.supersedes, correctedBy},
    consent: full ? await consentOf(admin, full, stop) : null,
    erased: lead && isErased(lead) ? await showErased(admin, lead) : null,
    timeThere: timeThere(Date.now(), shown?.time_zones ?? []) ?? null,
    suspicion: (full && suspicionOf(full)) ?? null,
    story: await storyOf(admin, told, seesPersons),
    changes: seesPersons
      ? possibleChanges(open, {...outline, revoked, isAsked, isSuppressed: outline.suppressedAt !== null})
      : [],
  };
}

async function consentOf(
  {store}: Admin,
  {consent, isSuppressed, mailboxStoppedAt}: FullLead,
  stop: Stop | undefined,
): Promise<SheetConsent> {
  const none = {at: null, language: null, version: null, words: null};
  const said = {
    stoppedAt: stop?.why === 'stopped' ? stop.at : null,
    askedAt: stop?.why === 'asked' ? stop.at : null,
    mailboxStoppedAt: mailboxStoppedAt ?? null,
  };
  const archived = consent && (await store.consentWords([consent.textHash])).get(consent.textHash);
  const words = consent?.words ?? archived ?? null;
  const seen = consent && {
    at: consent.givenAt,
    language: languageOf(consent.textLanguage),
    version: printable(consent.textVersion),
    words: words === null ? null : visible(inPlainWords(words, consent.form?.button ?? '{button}')),
  };
  if (stop?.why === 'unknown')
    return {
      ...{...none, ...seen, ...said, mayCall: isSuppressed ? false : null},
      text: 'It cannot be found out whether somebody with this number said stop before',
    };
  if (!seen)
    return {...none, ...said, mayCall: stop === undefined ? null : false, text: 'No consent is stored'};
  const how =
    consent.agreed === null
      ? 'Saw the words, which have no box, and pressed the button'
      : consent.agreed
        ? 'Ticked the box'
        : 'Saw the words, ticked no box';
  return {
    ...{...seen, ...said, mayCall: consent.agreed !== false && stop === undefined},
    text: consent.source ? `${how}, says the caller who sent the lead` : how,
  };
}

/** In English. A tag that no browser knows stays as it is. */
function languageOf(tag: string | undefined): string | null {
  if (tag === undefined) return null;
  try {
    return new Intl.DisplayNames('en', {type: 'language'}).of(tag) ?? tag;
  } catch {
    return printable(tag);
  }
}
