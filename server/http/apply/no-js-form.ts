/**
 * The form without a script: one page, which a POST answers with the result, or with the page again and what is wrong.
 * Whoever sends a lead in this way has solved no proof of work. So the lead is a suspect unless the partner says otherwise, a
 * network may send few of them, and no answer tells whether the same lead was sent before.
 */
import type {Request} from 'express';
import {paths} from '../../../contract/api.ts';
import {attributionKeys, campaignParameter, type EmbedSubmission} from '../../../contract/embed.ts';
import {fieldTable, ownRows, pagesOf, withAsked, type FieldName} from '../../../form/pages.ts';
import type {Errors} from '../../../form/read-fields.ts';
import {askedFieldsIn} from '../../../form/words/asked.ts';
import {formWords} from '../../../form/words/form-words.ts';
import {serverWords} from '../../../form/words/languages.ts';
import {sayFailure} from '../../../form/words/say-failure.ts';
import {sendLabel, withAskedWords} from '../../../form/words/words.ts';
import type {ContactFacts} from '../../config/contact-facts.ts';
import type {Partner} from '../../config/partners.ts';
import {consentFor} from '../../leads/consent-texts.ts';
import {StoreError} from '../../leads/store-errors.ts';
import {
  ownerOfKeys,
  readVisitorLead,
  takeVisitorLead,
  toAnswer,
  type VisitorService,
} from '../../leads/visitor-leads.ts';
import {readConsent, shortestTime, suspicions} from '../../leads/visitor-submission.ts';
import type {StoredLead} from '../../leads/stored-lead.ts';
import type {Emit} from '../../observe/observations.ts';
import {contactLinks} from '../../snippets/fallback.ts';
import {aboutPartner} from '../embed/partner-words.ts';
import type {Counters} from '../limits/counters.ts';
import {countInNetworks} from '../limits/network-count.ts';
import {isFromOwnPage} from '../own-page.ts';
import {replayLead} from '../../leads/intake.ts';
import {ProblemError, retryAfter} from '../../leads/problem-error.ts';
import {observedProblem} from '../problem-replies.ts';
import {problems} from '../../../contract/problems.ts';
import {visitorOf} from '../request-context.ts';
import type {CountView} from '../view-counter.ts';
import {readSubmission} from '../wire-schemas.ts';
import {answerMarkup} from './answer-markup.ts';
import {contextIn, leadTypeOf, reachMarkup, type Card, type Visit} from './apply-page.ts';
import {formMarkup} from './form-markup.ts';
import {carried, readPost, type Filled, type Form, type Shown} from './form-post.ts';
import {correctionOf, createFormTokens, type FormToken, type FormTokens} from './form-tokens.ts';

const hour = 3_600_000;
/** New leads that a network may send without a script in an hour. People who do so are few. */
const networkLimit = {what: 'scriptless leads', window: hour, limit: 5};

type Parts = {
  publicUrl: string;
  visitorService: VisitorService;
  facts: (partner: Partner) => ContactFacts;
  tokenKeys: readonly [string, ...string[]];
  counters: Counters;
  countView: CountView;
  emit: Emit;
};

export type NoJsForm = {
  /** The form before anything was typed. */
  empty(request: Request, partner: Partner, visit: Visit): Card;
  /** What follows when the visitor has pressed a button. It takes over nothing from another website. */
  answer(request: Request, partner: Partner, visit: Visit): Promise<Reply>;
};

type Reply = Card & {status: number; headers?: Record<string, string>};

/** A request for the form, and what its answer is made of. */
type Exchange = Omit<Parts, 'tokenKeys'> & {
  tokens: FormTokens;
  ownOrigin: string;
  request: Request;
  partner: Partner;
  visit: Visit;
  form: Form;
};

export function createNoJsForm({tokenKeys, ...parts}: Parts): NoJsForm {
  const lasting = {...parts, tokens: createFormTokens(tokenKeys), ownOrigin: new URL(parts.publicUrl).origin};
  const exchangeOf = (request: Request, partner: Partner, visit: Visit): Exchange => {
    const form = formOf(request, partner, parts.facts(partner), visit);
    return {...lasting, request, partner, visit, form};
  };
  return {
    empty: (request, partner, visit) =>
      card(exchangeOf(request, partner, visit), {...empty, awaitsElement: visit.awaitsElement}),
    answer: (request, partner, visit) => answer(exchangeOf(request, partner, visit)),
  };
}

function formOf(
  request: Request,
  partner: Partner,
  facts: ContactFacts,
  {language, order, queryText}: Visit,
): Form {
  const leadType = leadTypeOf(partner);
  const {ask, questions, privacyHref} = partner;
  const asked = askedFieldsIn(ask, language, questions);
  const words = withAskedWords(formWords[language], asked);
  return {
    words,
    leadType,
    steps: withAsked(pagesOf(leadType, {order, layout: 'single'}), asked).flat(),
    asked,
    rows: {...fieldTable, ...ownRows(asked)},
    about: aboutPartner(partner, facts, words.locale),
    action: actionOf(partner, queryText),
    consent: consentFor(partner, words.locale),
    privacyHref,
    optsOut: visitorOf(request).optsOut,
  };
}

const scopeOf = ({request: {network}, partner: {key}}: Exchange) => ({partner: key, network});

const actionOf = ({key}: Partner, query: string) => `${paths.apply}/${key}${query && `?${query}`}`;

const empty: Shown = {values: {}, errors: {}};

function card(exchange: Exchange, shown: Shown): Card {
  const {errors, consentError, token = exchange.tokens.issue(scopeOf(exchange))} = shown;
  const hasErrors = Object.keys(errors).length > 0 || consentError !== undefined;
  return {markup: formMarkup(exchange.form, {...shown, token}), hasErrors, becomesElement: true};
}

/** What follows when the visitor has pressed a button. */
async function answer(exchange: Exchange): Promise<Reply> {
  const {request, form, tokens, partner, visit} = exchange;
  const scope = scopeOf(exchange);
  const posted = request.body as URLSearchParams;
  const token = tokens.read(scope, posted.get(carried.token) ?? undefined);
  const isOwn = isFromOwnPage(request, exchange.ownOrigin);
  // If the browser does not say whose page has sent the form, the token says that we have made it.
  if (!(isOwn ?? token !== undefined)) {
    const notice = {...sayFailure(form.words, 'forbidden'), more: reachMarkup(visit.language, partner)};
    return again(exchange, empty, 403, {notice});
  }
  if (!posted.has(carried.again) && !posted.has(carried.change)) exchange.countView(request, 'began');
  // Somebody in another network may have filled in this form, so its tick is no consent of this visitor.
  if (!isOwn && !token?.isHere) posted.delete('consent');
  const {shown, filled} = readPost(posted, form);
  // A visitor whose network has changed gets another token. It has the same key, so that a lead that was stored already is
  // not stored twice. It names no lead that is corrected: only the visitor who has sent a lead may correct it, and in
  // another network this may be somebody else.
  const renewed = token && !token.isHere && tokens.issue(scope, {earliest: token.earliest, key: token.key});
  const known: Shown = {...shown, token: token && (renewed || shown.token)};
  if (!filled) {
    const shownAgain = card(exchange, known);
    return {...shownAgain, status: shownAgain.hasErrors ? 422 : 200};
  }
  return token?.isHere
    ? send(exchange, known, filled, token)
    : again(exchange, known, 422, {notice: serverWords[visit.language].page.sendAgain});
}

/** The form again, with what stands in the way of the lead. */
const again = (
  exchange: Exchange,
  known: Shown,
  status: number,
  more: Partial<Shown>,
  headers: Record<string, string> = {},
): Reply => ({...card(exchange, {...known, focus: 'problem', ...more}), status, headers});

/** Sends the lead. @returns the answer, or the form with what was wrong */
async function send(exchange: Exchange, known: Shown, filled: Filled, token: FormToken): Promise<Reply> {
  const {request, emit, form} = exchange;
  try {
    const stored = await take(exchange, submissionOf(exchange, filled, known, token), token);
    request.leadId = stored.id;
    return {...answerCard(exchange, known, stored, token), status: 200};
  } catch (error) {
    if (!(error instanceof ProblemError || error instanceof StoreError)) throw error;
    const {code, extras} = observedProblem(error, request, emit);
    const [status] = problems[code];
    const wrong = errorsOf(extras.errors, form);
    if (code === 'consent-outdated') return again(exchange, known, status, {consentError: 'outdated'});
    if (wrong.consentError || Object.keys(wrong.errors).length > 0)
      return again(exchange, known, status, wrong);
    const notice = sayFailure(form.words, code, Number(extras.headers?.['Retry-After']) || undefined);
    return again(exchange, known, status, {notice}, extras.headers);
  }
}

/** The answer to a lead. Its button leads back to the form, in which the visitor changes the answers. */
function answerCard(exchange: Exchange, {values}: Shown, stored: StoredLead, token: FormToken): Card {
  const {partner, form, tokens, visitorService} = exchange;
  const result = toAnswer(visitorService, stored);
  const markup = answerMarkup(form.words, {
    answer: result,
    leadType: form.leadType,
    late: true,
    firstName: stored.lead.first_name,
    phone: stored.lead.phone.typed,
    nextStep: partner.nextStep,
    cta: partner.cta,
    contact: contactLinks(partner.contact ?? {}),
    action: form.action,
    carries: {...values, [carried.token]: tokens.issue(scopeOf(exchange), correctionOf(token, result))},
  });
  return {markup, hasErrors: false, becomesElement: false};
}

/** What the form's script would have sent. */
function submissionOf(
  {publicUrl, partner, visit: {query}, form}: Exchange,
  {lead, seen, trap}: Filled,
  {agreed}: Shown,
  {supersedes}: FormToken,
) {
  // `referrer` is no campaign: the form's script takes it from the browser, never from the address.
  const campaign = attributionKeys
    .filter((key) => campaignParameter.test(key))
    .flatMap((key): [string, string][] => {
      const value = query[key];
      return typeof value === 'string' ? [[key, value]] : [];
    });
  const page = publicUrl + actionOf(partner, '');
  return readSubmission({
    lead: {lead_type: form.leadType, ...lead},
    lang: form.words.locale,
    page,
    attribution: {...Object.fromEntries(campaign), landing_page: page},
    context: Object.fromEntries(contextIn(partner, query)),
    ...(seen !== undefined && {
      consent: {
        version: seen,
        agreed: form.consent?.required === true && agreed === seen,
        button: sendLabel(form.words, form.leadType),
      },
    }),
    ...(trap !== undefined && {trap}),
    ...(supersedes && {supersedes}),
  } satisfies EmbedSubmission);
}

async function take(
  {request, partner, visitorService, counters}: Exchange,
  body: EmbedSubmission | undefined,
  {earliest, key}: FormToken,
): Promise<StoredLead> {
  const {service, digests} = visitorService;
  const {lead, content} = readVisitorLead(partner, body);
  // Each content has a key of its own, so that a visitor who goes back and changes something sends another lead.
  const idempotency = digests.ofKey(ownerOfKeys(partner), `${key} ${content}`, content);
  const replayed = await replayLead(service, idempotency, lead);
  if (replayed) return replayed;
  const elapsed_ms = Date.now() - earliest + shortestTime;
  const signs = suspicions(body && {...body, elapsed_ms});
  const unknown = partner.withoutScript === 'suspect' ? 'no-script' : '';
  const visitor = visitorOf(request);
  const {stored} = await takeVisitorLead(visitorService, {
    partner,
    visitor,
    body,
    lead,
    idempotency,
    async readGiven() {
      const {consent, consentText} = readConsent(visitor, partner, body);
      await countLead(counters, visitor.network, idempotency[0]?.digest ?? '');
      return {consent: consent && {...consent, script: 'none'}, consentText};
    },
    suspect: [unknown, signs].filter(Boolean).join(' ') || undefined,
    mayMerge: false,
  });
  return stored;
}

/**
 * Counts a lead once, however often it is sent: while the store is away, a visitor presses the button again and again.
 * @param digest of the idempotency key
 * @throws ProblemError if the network has sent too many leads
 */
async function countLead(counters: Counters, network: string, digest: string) {
  const counted = {name: `scriptless lead:${digest}`, window: hour};
  const {counts} = await counters.read([counted.name]);
  if (counts[0]) return;
  const {count, left} = await countInNetworks(counters, networkLimit, network);
  if (count <= networkLimit.limit) return void (await counters.increment(counted));
  throw new ProblemError('too-many-requests', 'Too many leads without a script.', retryAfter(left / 1_000));
}

/** What the server found wrong, by the fields of the form. */
function errorsOf(
  found: ProblemError['extras']['errors'] = [],
  {rows}: Form,
): Pick<Shown, 'errors' | 'consentError'> {
  const errors: Errors = {};
  for (const {field, code} of found) if (Object.hasOwn(rows, field)) errors[field as FieldName] = code;
  const lacksConsent = found.some(({field}) => field === 'consent');
  return {errors, consentError: lacksConsent ? 'required' : undefined};
}
