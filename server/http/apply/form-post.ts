/**
 * The form without a script: one page with all fields, which the browser posts. The fields, and what is wrong with them, come
 * from form/, as in the form with a script.
 */
import type {AboutPartner, AskedField, ConsentText} from '../../../contract/embed.ts';
import type {Field, LeadType} from '../../../contract/fields.ts';
import {fieldsOf, type FieldName, type Page, type StepName} from '../../../form/pages.ts';
import {readFields, type Errors, type Values} from '../../../form/read-fields.ts';
import {tidy} from '../../../form/tidy.ts';
import type {Words} from '../../../form/words/words.ts';
import type {Html} from '../../html/html.ts';

/** The form of a partner, as a visitor's address asks for it. */
export type Form = {
  words: Words;
  leadType: LeadType;
  /** All stand on one page, below each other. */
  steps: Page;
  /** What the partner asks for besides, in the last step, with its choices in words. */
  asked: readonly AskedField[];
  /** Those of all forms, and of the partner's own questions. */
  rows: Record<FieldName, Field>;
  about: AboutPartner | undefined;
  /** Where the form is sent: the page, with its query. */
  action: string;
  consent: ConsentText | null;
  privacyHref: string | undefined;
  /** The browser says that the visitor does not want to be tracked, and the form says that this is passed on. */
  optsOut: boolean;
};

/**
 * What the form carries besides its fields. Their names begin with `_`, which no field's does.
 * - `_token`: see form-tokens.ts
 * - `_seen`: the version of the consent text above the button
 * - `_next`: the button below the first step, while the page shows that step alone
 * - `_again`: the form was sent before, so that the page view is counted once
 * - `_change`: the button below the answer that leads back to the form
 */
export const carried = {
  token: '_token',
  seen: '_seen',
  next: '_next',
  again: '_again',
  change: '_change',
} as const;

/** What the form shows. */
export type Shown = {
  /** As `tidy` rewrote what was typed. */
  values: Values;
  errors: Errors;
  consentError?: 'required' | 'outdated' | undefined;
  /** The version of the consent text whose box is ticked. */
  agreed?: string | undefined;
  notice?: {title: string; text: string; more?: Html | undefined} | undefined;
  token?: string | undefined;
  /** What the browser shows first: what is wrong, or the title of a step. */
  focus?: 'problem' | StepName | undefined;
  /**
   * Only the first step shows until the element takes its place, and looks like that of the element, so that nothing moves
   * then. Without scripts, or after a while, page.css shows the whole form.
   */
  awaitsElement?: boolean;
};

/** What a form without errors has besides its values. */
export type Filled = {
  lead: Readonly<Record<string, string | number | boolean>>;
  seen: string | undefined;
  trap: string | undefined;
};

/** Longer texts are cut, because what reads them was made for what people type. They are still too long. */
function cut({kind, max = 0}: Field, value: string) {
  return value.slice(0, kind === 'text' ? max * 2 : 400);
}

/** What a press of a button leads to: the form again, or a lead. */
export function readPost(
  posted: URLSearchParams,
  {steps, rows, words, consent}: Form,
): {shown: Shown; filled?: Filled} {
  const text = (name: string) => posted.get(name) || undefined;
  const values: Values = {};
  for (const name of fieldsOf(steps)) {
    const typed = posted.get(name);
    // Browsers send each line of a text with two characters at its end.
    if (typed !== null)
      values[name] = tidy(rows[name].kind, cut(rows[name], typed).replaceAll('\r\n', '\n'), words.locale);
  }
  const same: Shown = {values, errors: {}, agreed: text('consent'), token: text(carried.token)};
  // Visitors who saw amounts mostly want to change their funds.
  if (posted.has(carried.change)) return {shown: {...same, focus: 'funds'}};

  const {errors, lead} = readFields(fieldsOf(steps), values, rows);
  const hasFilledOthers = fieldsOf(steps.slice(1)).some((name) => values[name]);
  // Nobody gets errors about fields that were not shown yet. Enter in a later field presses this button, too.
  if (posted.has(carried.next) && !hasFilledOthers) {
    const unfinished = steps.find(({fields}) => fields.some((name) => errors[name]));
    return {shown: {...same, focus: unfinished?.name}};
  }
  const consentError = consent?.required && same.agreed !== text(carried.seen) ? 'required' : undefined;
  if (Object.keys(errors).length > 0 || consentError)
    return {shown: {...same, errors, consentError, focus: 'problem'}};
  return {shown: same, filled: {lead, seen: text(carried.seen), trap: text('website')}};
}
