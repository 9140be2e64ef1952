/**
 * The form without a script: each of its pages is the answer to a POST, and all that the visitor has typed travels in the
 * form itself. Nothing is stored before the last step. The fields of the pages, what is wrong with them, and what is asked
 * about them come from form/, as in the form with a script.
 */
import type {AskedField} from '../../../contract/embed.ts';
import {contactFields, type LeadType} from '../../../contract/fields.ts';
import {emailSuggestion} from '../../../form/email-suggestion.ts';
import {formatDollars} from '../../../form/format-money.ts';
import {mayMeanThousands, parseMoney} from '../../../form/money.ts';
import {fieldsOf, fieldTable, type FieldName, type Page} from '../../../form/pages.ts';
import {isField, readFields, type Errors, type Values} from '../../../form/read-fields.ts';
import {tidy} from '../../../form/tidy.ts';
import type {InLanguage} from '../../../form/words/partner-text.ts';
import type {Words} from '../../../form/words/words.ts';

/** The form of a partner, in a language. */
export type Form = {
  words: Words;
  leadType: LeadType;
  pages: readonly Page[];
  /** What the partner asks for besides, which is on the last page, with its choices in words. */
  asked: readonly AskedField[];
  /** What the partner promises about its call, at the phone field. */
  promise: InLanguage<string> | undefined;
};

/**
 * What the form carries besides its fields. Their names begin with `_`, which no field's does.
 * - `_page`: the number of the page, from 0
 * - `_token`: see form-tokens.ts
 * - `_seen`: the version of the consent text above the button
 * - `_asked`: a question that the visitor has seen, so that it is not asked again
 * - `_back`, `_none`, `_mean`, `_change`: the buttons besides the main one
 */
export const carried = {
  page: '_page',
  token: '_token',
  seen: '_seen',
  asked: '_asked',
  back: '_back',
  none: '_none',
  mean: '_mean',
  change: '_change',
} as const;

/** What the page of the form shows. */
export type Shown = {
  page: number;
  /** As typed, or as `tidy` rewrote it. */
  values: Values;
  errors: Errors;
  consentError?: 'required' | 'outdated' | undefined;
  /** The fields about which the form asks something. */
  questions: readonly FieldName[];
  asked: readonly string[];
  /** The version of the consent text whose box is ticked. */
  agreed?: string | undefined;
  notice?: {title: string; text: string} | undefined;
  token?: string | undefined;
  /** What the browser shows first, if the visitor has not just come to the page. */
  focus?: 'heading' | 'problem' | FieldName | undefined;
};

/** What the last page has besides the values of all fields. */
export type Filled = {
  lead: Readonly<Record<string, string | number | boolean>>;
  seen: string | undefined;
  trap: string | undefined;
};

/** Longer texts are cut, because what reads them was made for what people type. They are still too long. */
function cut(name: FieldName, value: string) {
  const {kind, max = 0} = fieldTable[name];
  return value.slice(0, kind === 'text' ? max * 2 : 400);
}

function valuesIn(posted: URLSearchParams, {pages}: Form): Values {
  const values: Values = {};
  for (const name of fieldsOf(pages.flat())) {
    const value = posted.get(name);
    // Browsers send each line of a text with two characters at its end.
    if (value !== null) values[name] = cut(name, value).replaceAll('\r\n', '\n');
  }
  return values;
}

/** The page before anything was typed. */
export const emptyPage: Shown = {page: 0, values: {}, errors: {}, questions: [], asked: []};

/**
 * What the visitor's press of a button leads to: a page of the form, and after the last page without errors also the lead.
 * @param asksConsent whether the visitor must tick a box
 */
export function advance(
  posted: URLSearchParams,
  form: Form,
  asksConsent: boolean,
): {shown: Shown; filled?: Filled} {
  const {pages, words} = form;
  const {locale} = words;
  const typed = valuesIn(posted, form);
  const values: Values = {};
  for (const [name, value] of Object.entries(typed))
    if (isField(name)) values[name] = tidy(fieldTable[name].kind, value, locale);
  const asked = posted.getAll(carried.asked).slice(0, fieldsOf(pages.flat()).length);
  const page = pageIn(posted, pages);
  const text = (name: string) => posted.get(name) || undefined;
  const same: Shown = {
    page,
    values,
    errors: {},
    questions: [],
    asked,
    agreed: text('consent'),
    token: text(carried.token),
  };
  const names = fieldsOf(pages[page]);
  const show = (shown: Partial<Shown>) => ({shown: {...same, ...shown}});

  if (posted.has(carried.change)) return show({page: fundsPage(pages), focus: 'heading'});
  if (posted.has(carried.back)) return show({page: Math.max(0, page - 1), focus: 'heading'});
  const none = text(carried.none);
  if (isField(none) && names.includes(none)) return show({values: {...values, [none]: '0'}, focus: none});
  const [meant, ...rest] = text(carried.mean)?.split('=') ?? [];
  if (isField(meant) && names.includes(meant)) {
    const value = tidy(fieldTable[meant].kind, cut(meant, rest.join('=')), locale);
    return show({
      values: {...values, [meant]: value},
      asked: [...asked, questionId(meant, value)],
      focus: meant,
    });
  }

  const isLast = page === pages.length - 1;
  const {errors, lead} = readFields(isLast ? fieldsOf(pages.flat()) : names, values);
  const wrong = pages.findIndex((steps) => fieldsOf(steps).some((name) => errors[name]));
  if (wrong >= 0 && wrong < page) return show({page: wrong, errors, focus: 'problem'});
  const lacksConsent = isLast && asksConsent && same.agreed !== text(carried.seen);
  const questions = names.filter((name) => {
    const question = questionId(name, values[name] ?? '');
    return !errors[name] && !asked.includes(question) && isUnclear(name, typed[name] ?? '', locale);
  });
  const asking = {
    questions,
    asked: [...asked, ...questions.map((name) => questionId(name, values[name] ?? ''))],
  };
  if (wrong >= 0 || lacksConsent) {
    const consentError = lacksConsent ? 'required' : undefined;
    return show({...asking, errors, consentError, focus: 'problem'});
  }
  if (questions.length > 0) return show({...asking, focus: questions[0]});
  if (!isLast) return show({page: page + 1, focus: 'heading'});
  return {
    shown: same,
    filled: {lead, seen: text(carried.seen), trap: text('website')},
  };
}

/** Names a question by the field and the value that it is about. */
const questionId = (name: FieldName, value: string) => `${name}=${value}`;

function pageIn(posted: URLSearchParams, pages: readonly Page[]) {
  const page = Number(posted.get(carried.page));
  return Number.isInteger(page) && page >= 0 && page < pages.length ? page : 0;
}

/**
 * Whether the form of this page has a token. The first of several pages has none, so that it is the same for all visitors,
 * unless it asks for contact data: see `answersWithoutToken`.
 */
export const hasToken = ({pages}: Form, page: number) =>
  page > 0 || pages.length === 1 || fieldsOf(pages[0]).some((name) => Object.hasOwn(contactFields, name));

/**
 * What is taken from a form without a token of ours, which another website may have made: the answers of a first page that
 * has no token. Undefined for every other page, of which nothing is taken.
 */
export function answersWithoutToken(posted: URLSearchParams, form: Form): URLSearchParams | undefined {
  if (hasToken(form, pageIn(posted, form.pages))) return undefined;
  const names: readonly string[] = fieldsOf(form.pages[0]);
  return new URLSearchParams([...posted].filter(([name]) => names.includes(name)));
}

/** Visitors who saw amounts mostly want to change their funds. */
const fundsPage = (pages: readonly Page[]) =>
  Math.max(
    0,
    pages.findIndex((steps) => fieldsOf(steps).includes('cash')),
  );

/** Whether something else may be meant than what was typed. */
function isUnclear(name: FieldName, typed: string, locale: string) {
  const {kind} = fieldTable[name];
  if (kind === 'money') return mayMeanThousands(typed, locale);
  return kind === 'email' && emailSuggestion(typed) !== undefined;
}

/** What may be meant, as the visitor would have typed it. */
export function meanings(name: FieldName, value: string, locale: string): string[] {
  if (fieldTable[name].kind === 'email') return [emailSuggestion(value) ?? ''].filter(Boolean);
  const dollars = Number(parseMoney(value));
  return [dollars, dollars * 1_000].map((meant) => formatDollars(meant, locale));
}
