/** What a page sends with a lead (consent, attribution, hidden fields, signs of a bot), as the store keeps it. */
import {
  attributionKeys,
  consentViewLimits,
  type Attribution,
  type AttributionKey,
  type ConsentView,
  type EmbedSubmission,
} from '../../contract/embed.ts';
import {contactFields, financialFields} from '../../contract/fields.ts';
import type {FieldError} from '../../contract/problems.ts';
import {pageAddress} from '../../contract/page-address.ts';
import type {Partner} from '../config/partners.ts';
import {known} from './consent-record.ts';
import {hashOfText, textGivenAs} from './consent-texts.ts';
import {oneLine} from './hidden-characters.ts';
import type {NewLead} from './new-lead.ts';
import {ProblemError, retryAfter} from './problem-error.ts';
import type {FormAtConsent} from './stored-lead.ts';

/** What is known of a visitor by the request, and not by what the page says. */
export type Visitor = {
  /** In canonical spelling. */
  address: string;
  /** The network of the address, which limits count as one visitor. */
  network: string;
  /** The header `Origin`, which no script on a page can change. */
  origin: string | undefined;
  userAgent: string | undefined;
  /** The headers `Sec-GPC`, which is Global Privacy Control, and `DNT`. */
  optsOut: boolean;
  asksNotToTrack: boolean;
};

const fieldsOfForm = ['lead_type', ...Object.keys({...contactFields, ...financialFields})];
/** White space that is no space: tabs, and what begins a new line. */
const notSpaces = /[^\S\p{Zs}]/gu;

/**
 * The fields that the form of this partner asks visitors for. What else a script sends is ignored, because nobody at the
 * partner expects a stranger's words there. Forms before 1.3 took white space of any kind in a phone, which is written as
 * spaces here. Notes may have several lines.
 */
export function leadOfForm({ask}: Partner, {lead}: EmbedSubmission): Record<string, unknown> {
  const known = [...fieldsOfForm, ...ask].filter((name) => Object.hasOwn(lead, name));
  const tidy = (name: string, value: unknown) =>
    typeof value === 'string' && name !== 'notes' ? value.replace(notSpaces, ' ') : value;
  return Object.fromEntries(known.map((name) => [name, tidy(name, lead[name])]));
}

/**
 * The address alone decides whose lead it is. A body that names another partner comes from somebody who believes otherwise.
 * @throws ProblemError when the body, or the lead in it, names a partner that is not this one
 */
export function refuseOtherPartner({key}: Partner, {partner, lead}: EmbedSubmission): void {
  const isOther = [partner, lead['partner']].some((named) => (named ?? '') !== '' && named !== key);
  if (!isOther) return;
  const errors: FieldError[] = [
    {field: 'partner', code: 'invalid', message: 'must be missing, or the partner that the address names'},
  ];
  throw new ProblemError('invalid-lead', 'Name the partner in the address: /embed/v1/leads?partner=…', {
    errors,
  });
}

/** Shortens a web address as the form does. Null for a text that is no web address. */
export function bareAddress(text: string | undefined): string | null {
  const url = URL.parse(text ?? '');
  return url && /^https?:$/.test(url.protocol) ? pageAddress(url.href).slice(0, 2_048) : null;
}

const addresses: readonly AttributionKey[] = ['referrer', 'landing_page'];

/**
 * Of any country with its code, or of North America, in the usual spellings. In a query, `+` is read as a space. Ids of
 * campaigns mostly have more digits, and one that could be a telephone number may begin with a letter.
 */
const telephone =
  /(?:\+|^ )\d(?:[ ()._/-]{0,2}\d){7,14}|(?<![a-z\d])(?:1[ ._/-]?)?\(?[2-9]\d\d\)?[ ._/-]?[2-9]\d\d[ ._/-]?\d{4}(?![a-z\d])/gi;

/** As in `pageAddress`, also in a query that was encoded twice. Shared, it would cost the form's first file 66 bytes. */
const emailAddress = /.(?:@|%40)./i;

/** Some newsletters put the visitor's address or number into their links. Campaigns are kept in clear. */
const campaignOf = (text: string) =>
  text.replace(/\S+/g, (word) => (emailAddress.test(word) ? '*' : word)).replace(telephone, '*');

/**
 * The rule for privacy signals. Of a browser that opts out of the sale of data, that alone is kept, and passed on. Do Not
 * Track does not speak of sales, so it only keeps back where the visitor came from.
 * @returns where the visitor came from, or the signal; undefined if nothing is known
 */
export function readAttribution(
  {optsOut, asksNotToTrack}: Visitor,
  {attribution: given = {}, opt_out_signal = optsOut ? 'gpc' : undefined}: EmbedSubmission,
): NewLead['attribution'] {
  if (opt_out_signal || asksNotToTrack) return opt_out_signal && {opt_out_signal};
  const known: Attribution = {};
  for (const key of attributionKeys) {
    const text = given[key] ?? '';
    const bare = key.startsWith('utm_') ? campaignOf(text) : text;
    const value = addresses.includes(key) ? bareAddress(text) : bare;
    if (value) known[key] = value;
  }
  return Object.keys(known).length > 0 ? known : undefined;
}

/** The hidden fields that the partner lists, in the order of its list, and those of them that operators filter by. */
export function readContext(
  {contextFields}: Partner,
  {context: given = {}}: Pick<EmbedSubmission, 'context'>,
): Pick<NewLead, 'context' | 'contextFilters'> {
  const known = contextFields.flatMap(({name, filter}) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return value === undefined ? [] : [{name, value, filter}];
  });
  if (known.length === 0) return {};
  const toContext = (fields: typeof known) =>
    Object.fromEntries(fields.map(({name, value}) => [name, value]));
  return {context: toContext(known), contextFilters: toContext(known.filter(({filter}) => filter))};
}

/** What a page says of the form at the press of the button; undefined if it says nothing. */
function formAt({form = '', button = '', slot = '', ...view}: ConsentView): FormAtConsent | undefined {
  const line = (text: string, max: number) => oneLine(text, max) || undefined;
  const said: FormAtConsent = {
    ...known('version', line(form, consentViewLimits.form)),
    ...known('button', line(button, consentViewLimits.button)),
    ...known('verbatim', view.verbatim),
    ...known('inView', view.in_view),
    ...known('width', view.width),
    ...known('slot', line(slot, consentViewLimits.slot)),
  };
  return Object.keys(said).length > 0 ? said : undefined;
}

/**
 * The record of the visitor's consent, and the text that it is to; neither if the partner has no consent text.
 * @throws ProblemError when the visitor saw another version of the text, or when the consent is missing
 */
export function readConsent(
  {address, origin, userAgent}: Visitor,
  partner: Partner,
  body: EmbedSubmission | undefined,
): Pick<NewLead, 'consent' | 'consentText'> {
  if (!partner.consent) return {};
  const {required} = partner.consent;
  const given = body?.consent;
  const shown = given && textGivenAs(partner, given.version);
  if (given && !shown) {
    throw new ProblemError('consent-outdated', 'Fetch the configuration and show its text.', retryAfter(1));
  }
  if (!shown || (required && !given.agreed)) {
    const errors: FieldError[] = [{field: 'consent', code: 'required', message: 'is required'}];
    throw new ProblemError('invalid-lead', 'Check consent.', {errors});
  }
  const {language, configured} = shown;
  const {version} = configured;
  const page = bareAddress(body?.page);
  return {
    consent: {
      textVersion: version,
      ...(language !== undefined && {textLanguage: language}),
      textHash: hashOfText(shown.given.text),
      agreed: required ? given.agreed : null,
      givenAt: Date.now(),
      origin: origin ?? null,
      page: URL.parse(page ?? '')?.origin === origin ? page : null,
      ip: address,
      userAgent: userAgent?.slice(0, 512) ?? null,
      ...known('form', formAt(given)),
    },
    consentText: {
      partner: partner.key,
      language,
      version,
      textHash: hashOfText(configured.text),
      words: [configured.text, shown.given.text],
    },
  };
}

/** Milliseconds. A form that is filled in faster was probably filled in by a bot, or by autofill. */
export const shortestTime = 3_000;

/**
 * Why a bot may have sent the lead; undefined without such a reason. The lead is stored in any case, because the
 * autofill of a browser looks the same.
 */
export function suspicions(body: EmbedSubmission | undefined): string | undefined {
  const trapped = body?.trap ? 'trap' : '';
  const fast = (body?.elapsed_ms ?? Infinity) < shortestTime ? 'fast' : '';
  return [trapped, fast].filter(Boolean).join(' ') || undefined;
}
