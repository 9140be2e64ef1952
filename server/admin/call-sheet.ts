/** One lead for the person who calls: whom, whether, when and how much, and what happened. */
import type {Amounts} from '../../contract/amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {suspicionOf} from '../destinations/email/wording.ts';
import {readableText} from '../leads/consent-record.ts';
import type {FullLead} from '../leads/lead-filter.ts';
import {mayCall, type MayCall} from '../leads/may-call.ts';
import {isErased} from '../store/rows.ts';
import {Refusal, type Admin} from './admin.ts';
import {possibleChanges} from './changes.ts';
import {verbOf} from './operations/operation.ts';
import {storedOf} from './deliveries.ts';
import {showErased, type ShownErased} from './erasing.ts';
import {amountsForPeople, detailsOf} from './lead-details.ts';
import {leadOf} from './lead-names.ts';
import type {ShownLead} from './leads.ts';
import {peopleOf} from './persons.ts';
import {besidesOf, callFactsOf} from './lead-view.ts';
import {afterwardsOf} from './stops.ts';
import {stateOf, type RowState} from './listing.ts';
import {storyOf, type StoryEvent} from './story.ts';
import {printable, visible} from './visible.ts';

/**
 * What was agreed.
 * - `text`: how it was agreed, such as `Ticked the box`, at the time `at`
 * - `language`: a name, such as `Spanish`
 * - `words`: those that the server gave to the form, if they were kept
 * - `said`: what the browser says of them
 */
export type SheetConsent = {
  text: string;
  at: number | null;
  language: string | null;
  version: string | null;
  words: string | null;
  said: string[];
};

/**
 * Times are milliseconds since 1970, but in `lead` and `erased`.
 * - `lead`, `erased`: null for those who see no persons
 * - `amounts`: as the visitor saw them
 * - `call`: whether it may be called now; null for those who see no persons
 * - `corrects`, `correctedBy`: the id of the lead that this one corrects, and that of its newest correction
 * - `changes`: what can be done now, by those who may: the last words of the commands
 */
export type CallSheet = {
  id: string;
  reference: string;
  createdAt: number;
  partner: string | null;
  state: RowState;
  lead: SheetLead | null;
  amounts: Amounts | null;
  erased: ShownErased | null;
  unreadable: string | null;
  corrects: string | null;
  correctedBy: string | null;
  consent: SheetConsent | null;
  call: MayCall | null;
  suspicion: string | null;
  story: StoryEvent[];
  changes: string[];
};

/** `call` says whether it may be called. */
export type SheetLead = Omit<ShownLead, 'may_call'>;

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
  const besides = await besidesOf(admin, [id]);
  const facts = lead && (await callFactsOf(admin, [lead], besides)).get(id);
  const correctedBy = besides.corrections.get(id) ?? null;
  const isAsked = facts?.stop?.why === 'asked';
  const so = {isStopped: facts?.stop?.why === 'stopped', isCorrected: correctedBy !== null};
  const told = {outline, open, full, amounts, duplicates, supersededBy, revoked, stops: became?.stops};
  return {
    ...{id, reference: referenceOf(id), createdAt: outline.createdAt, partner: outline.partner},
    state: stateOf(damaged ?? lead ?? outline, open, so),
    ...{lead: shown, amounts, unreadable: damaged?.unreadable ?? null},
    ...{corrects: outline.supersedes, correctedBy},
    consent: full ? await consentOf(admin, full) : null,
    erased: lead && isErased(lead) ? await showErased(admin, lead) : null,
    call: facts ? mayCall(facts, Date.now()) : null,
    suspicion: (full && suspicionOf(full)) ?? null,
    story: await storyOf(admin, told, seesPersons),
    changes: seesPersons
      ? possibleChanges(open, {
          ...outline,
          revoked,
          isAsked,
          isSuppressed: outline.suppressedAt !== null,
        }).map(verbOf)
      : [],
  };
}

async function consentOf({store}: Admin, {consent}: FullLead): Promise<SheetConsent> {
  if (!consent)
    return {at: null, language: null, version: null, words: null, said: [], text: 'No consent is stored'};
  const archived = (await store.consentWords([consent.textHash])).get(consent.textHash);
  const {textLanguage: language, script, form} = consent;
  const readable = readableText({words: consent.words ?? archived ?? null, language}, {script, ...form});
  const how =
    consent.agreed === null
      ? 'Saw the words, which have no box, and pressed the button'
      : consent.agreed
        ? 'Ticked the box'
        : 'Saw the words, ticked no box';
  return {
    text: consent.source ? `${how}, says the caller who sent the lead` : how,
    at: consent.givenAt,
    language: languageOf(language),
    version: printable(consent.textVersion),
    words: readable.text === null ? null : visible(readable.text),
    said: readable.said,
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
