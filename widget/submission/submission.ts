/** Sends the lead, and shows the answer until the visitor wants to change something. */
import type {ReactiveController} from 'lit';
import type {ContactLink, EmbedAnswer} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {Notice} from '../fields/alert-view.ts';
import {hasDraft} from '../fields/contact-sources.ts';
import {contactIn} from '../fields/contact-view.ts';
import type {Endpoint, FormHost} from '../fields/form-host.ts';
import {shownAmounts} from '../../form/shown-amounts.ts';
import {referenceOf} from '../../contract/reference.ts';
import {contentFor} from '../../form/words/partner-text.ts';
import {sayFailure} from '../../form/words/say-failure.ts';
import {withAskedWords} from '../../form/words/words.ts';
import {CustomStates} from '../page/custom-states.ts';
import {emit} from '../page/events.ts';
import {checkedLink, explainPair, thanksAddress} from '../page/advice.ts';
import {TakeawayButtons} from '../takeaway/takeaway-buttons.ts';
import {answerView, resultSentence, type AnswerContext, type Link} from './answer-view.ts';
import {countUp} from './count-up.ts';
import {answerIn, exchange} from './exchange.ts';
import {dropKey} from './idempotency-key.ts';
import {Pause} from './pause.ts';
import {Preparation} from './preparation.ts';
import {keepReceipt, recallReceipt, type Receipt} from './receipt.ts';
import {send, type Failure, type LeadToSend, type Outcome} from './send.ts';
import {StartOver} from './start-over.ts';

/**
 * The stages between the first touch and the answer, and what leads from one to the next:
 * - `asking`: the visitor fills in fields. `send()` leads to `sending`. After a reload, the receipt of a lead that was
 *   sent before leads to `answered`.
 * - `sending`: the lead is on its way. Its outcome leads to `answered`, to `failed` or, if the visitor has to correct
 *   something, to `asking`. `reset()` leads to `asking`.
 * - `failed`: as `asking`, with a notice that says why nothing was sent.
 * - `answered`: the answer is shown. If it is pending, the form asks the server again (`waiting`) until the answer is
 *   `final`, or gives up after ten minutes (`late`). `change()` and `reset()` lead to `asking`.
 */
export type Stage =
  | {readonly name: 'asking'}
  | {readonly name: 'sending'; readonly abort: AbortController}
  | {readonly name: 'failed'; readonly failure: Failure}
  | {
      readonly name: 'answered';
      /** Where the lead was sent. The page may have named another partner since. */
      readonly endpoint: Endpoint;
      readonly answer: EmbedAnswer;
      readonly leadType: LeadType;
      readonly state: 'final' | 'waiting' | 'late';
    };

export type Answered = Extract<Stage, {name: 'answered'}>;

const asking: Stage = {name: 'asking'};

/** Milliseconds of sending after which the visitor is told that it takes longer than usual. */
const slowAfter = 4_000;

/** Milliseconds between two requests for a pending answer: the first pause, the longest one, and the sum of all. */
const pauses = {first: 2_000, longest: 30_000, sum: 600_000};

export class Submission implements ReactiveController {
  stage: Stage = asking;
  /** Sending takes longer than usual, and the visitor is told so. */
  isSlow = false;
  readonly preparation: Preparation;

  readonly #host: FormHost;
  readonly #takeaway: TakeawayButtons;
  readonly #startOver: StartOver;
  readonly #pause: Pause;
  readonly #states: CustomStates;

  constructor(host: FormHost, onConfig: () => void) {
    this.#host = host;
    this.#takeaway = new TakeawayButtons(host, () => [
      this.preparation.config?.name,
      ...[...this.contact].map(({text}) => text),
    ]);
    this.#startOver = new StartOver(host);
    this.#pause = new Pause(host.element);
    this.#states = new CustomStates(host.element);
    this.preparation = new Preparation(
      () => host.endpoint(),
      () => host.words.locale,
      onConfig,
    );
    host.element.addController(this);
    // The page was reloaded after sending: the visitor sees the result of that lead. Who had begun to change its answers
    // goes on with them instead, because only then there is a draft.
    const endpoint = host.endpoint();
    const receipt = hasDraft(host.element) ? undefined : recallReceipt(endpoint);
    if (receipt) void this.#restore(endpoint, receipt);
  }

  hostConnected() {
    this.#pause.hostConnected();
  }

  hostDisconnected() {
    this.#pause.hostDisconnected();
  }

  hostUpdate() {
    this.preparation.followLanguage();
  }

  get isSending() {
    return this.stage.name === 'sending';
  }

  /** Sending failed, and the same lead may be sent again without a change. */
  get isRetryable() {
    return this.stage.name === 'failed' && this.stage.failure.retryable;
  }

  /** Sending failed because of the page, so that the apply page is the way on. */
  get isOfPage() {
    return this.stage.name === 'failed' && /^(origin|proof|page)/.test(this.stage.failure.code);
  }

  /** How to reach the partner. Where the configuration does not say it, the page may: the snippet has it as a text. */
  get contact(): Iterable<ContactLink> {
    return this.preparation.config?.contact ?? contactIn(this.#host.element);
  }

  /** What the visitor reads when sending failed. */
  get notice(): Notice | undefined {
    if (this.stage.name !== 'failed') return undefined;
    const {code, notice, seconds} = this.stage.failure;
    return sayFailure(this.#host.words, notice ?? code, seconds);
  }

  /** @returns the outcome, or nothing if the page has stopped the lead, or `reset()` has cancelled it */
  async send(lead: Omit<LeadToSend, 'supersedes'>): Promise<Outcome | undefined> {
    const {element, words} = this.#host;
    const endpoint = this.#host.endpoint();
    const sending: Stage = {name: 'sending', abort: new AbortController()};
    const {stage} = this;
    // The page hears of it in this stage, so that `submit()` does nothing there, and `reset()` cancels.
    this.stage = sending;
    if (!emit(element, 'prequal-submit') && this.stage === sending) this.stage = stage;
    if (this.stage !== sending) return undefined;
    this.#enter(sending);
    this.isSlow = false;
    this.#host.announce(words.sending);
    const timer = setTimeout(() => {
      if (this.stage !== sending) return;
      this.isSlow = true;
      this.#host.announce(this.#host.words.stillSending);
    }, slowAfter);
    const earlier = recallReceipt(endpoint);
    const outcome = await send(
      {...lead, supersedes: earlier && {id: earlier.id, token: earlier.token}},
      endpoint,
      this.preparation,
      sending.abort.signal,
    );
    clearTimeout(timer);
    if (this.stage !== sending) return undefined;
    this.#host.announce('');
    if (outcome.kind === 'answered') this.#receive(endpoint, outcome.answer, lead.lead.lead_type);
    else this.#enter(outcome.kind === 'failed' ? {name: 'failed', failure: outcome} : asking);
    return outcome;
  }

  /** The server takes no lead from this page, or a script of the page has replaced what sending needs (`page`). */
  refuse(code: string) {
    this.#enter({name: 'failed', failure: {code, retryable: false, notice: 'forbidden'}});
  }

  /** The server has stored the lead. */
  #receive(endpoint: Endpoint, answer: EmbedAnswer, leadType: LeadType) {
    const {id, token, status} = answer;
    keepReceipt(endpoint, {id, token, leadType});
    dropKey(endpoint.partner);
    this.preparation.proofIsUsed();
    this.#show(endpoint, answer, leadType);
    this.#host.refresh('h2');
    emit(this.#host.element, 'prequal-result', {id, leadType, status});
    const href = leadType === 'standard' && !this.#host.isSandbox() && this.#thanks(answer);
    if (href) location.assign(href);
  }

  /** The page to show after a lead that is not refused. It gets the reference if its address has a parameter for it. */
  #thanks({id, status}: EmbedAnswer): string | undefined {
    const url = status === 'refused' ? undefined : thanksAddress(this.#host.element);
    if (url?.searchParams.has('reference')) url.searchParams.set('reference', referenceOf(id));
    return url?.href;
  }

  /** Shows an answer that the visitor has not seen yet. */
  #show(endpoint: Endpoint, answer: EmbedAnswer, leadType: LeadType) {
    const total = shownAmounts(answer)?.total_qualified_amount ?? 0;
    // In a microtask of its own, because the page may have replaced what draws it, which must not hide the answer.
    queueMicrotask(() => countUp(this.#host.element, this.#host.words, total));
    this.enterAnswered(endpoint, answer, leadType);
  }

  enterAnswered(endpoint: Endpoint, answer: EmbedAnswer, leadType: LeadType) {
    const pending = answer.status === 'pending';
    this.#enter({name: 'answered', endpoint, answer, leadType, state: pending ? 'waiting' : 'final'});
    if (pending) void this.#watch();
  }

  async #restore(endpoint: Endpoint, receipt: Receipt) {
    this.preparation.isCounted = true;
    const configured = this.preparation.begin();
    const reply = await this.#read(endpoint, receipt);
    if (reply?.status === 404) keepReceipt(endpoint);
    const answer = reply && answerIn(reply);
    // The result shows the partner's colour and next step.
    await configured;
    if (answer && this.stage === asking) this.enterAnswered(endpoint, answer, receipt.leadType);
  }

  #read(endpoint: Endpoint, {id, token}: Pick<Receipt, 'id' | 'token'>) {
    const init = {headers: {Authorization: `Bearer ${token}`}};
    return exchange(endpoint, id, init).catch(() => undefined);
  }

  /** Asks the server for the final answer to a pending lead, as long as the visitor sees the pending one. */
  async #watch() {
    const watched = this.stage;
    if (watched.name !== 'answered') return;
    const {endpoint, leadType, answer} = watched;
    for (let wait = pauses.first, left = pauses.sum; left > 0; left -= wait) {
      await this.#pause.for(wait);
      if (this.stage !== watched) return;
      const reply = await this.#read(endpoint, answer);
      if (this.stage !== watched) return;
      const read = reply && answerIn(reply);
      if (read && read.status !== 'pending') {
        this.#show(endpoint, read, leadType);
        this.#announceAnswer();
        emit(this.#host.element, 'prequal-result', {id: answer.id, leadType, status: read.status});
        return;
      }
      if (reply?.status === 404) break;
      wait = Math.max((reply?.retryAfter ?? 0) * 1_000, Math.min(wait * 1.5, pauses.longest));
    }
    this.#enter({...watched, state: 'late'});
    this.#announceAnswer();
  }

  #announceAnswer() {
    if (this.stage.name === 'answered')
      this.#host.announce(resultSentence(this.words, {...this.stage, late: this.stage.state === 'late'}));
  }

  #enter(stage: Stage) {
    this.stage = stage;
    this.#states.show(stage.name);
    this.#host.refresh();
  }

  /** With those of what the partner asks besides. */
  get words() {
    return withAskedWords(this.#host.words, this.preparation.config?.ask ?? []);
  }

  /** The view of the answer. Undefined while there is no answer. */
  view({startOver, ...context}: Omit<AnswerContext, 'link' | 'contact'> & {readonly startOver: () => void}) {
    const {stage} = this;
    if (stage.name !== 'answered') return undefined;
    return answerView(this.words, {
      ...context,
      ...stage,
      link: this.#link(stage.answer),
      contact: this.contact,
      nextStep: this.preparation.config?.next_step ?? {},
      takeaway: this.#takeaway,
      startOver: this.#startOver.view(startOver),
      late: stage.state === 'late',
    });
  }

  /** The link below the result: the page after the form, the link of the page, or else that of the partner. */
  #link(answer: EmbedAnswer): Link | undefined {
    const {element, words} = this.#host;
    const {ctaHref, ctaLabel} = element;
    const thanks = this.#thanks(answer);
    if (thanks) return {href: thanks, label: ctaLabel || words.next};
    if (!ctaHref !== !ctaLabel) explainPair(ctaHref ? 'cta-label' : 'cta-href');
    const href = checkedLink('cta-href', ctaHref);
    if (href && ctaLabel) return {href, label: ctaLabel};
    const link = contentFor(this.preparation.config?.cta, words.locale);
    return link && {...link.content, lang: link.lang};
  }

  /**
   * The connection has come back: removes a notice that asks the visitor to check it.
   *
   * @returns whether there was one
   */
  reconnect(): boolean {
    const hadNotice = this.stage.name === 'failed' && this.stage.failure.code === 'network';
    if (hadNotice) this.dismissNotice();
    return hadNotice;
  }

  /** Removes the notice of a failure, because the visitor has gone to another page of the form. */
  dismissNotice() {
    if (this.stage.name === 'failed') this.#enter(asking);
  }

  /**
   * Shows the fields again, with what the visitor typed. The next lead replaces this one.
   *
   * @returns the answer that the visitor saw
   */
  change(): EmbedAnswer | undefined {
    const {stage} = this;
    this.preparation.prepareNext();
    this.#enter(asking);
    return stage.name === 'answered' ? stage.answer : undefined;
  }

  /** Forgets the lead, and cancels it if it is being sent. The next lead does not replace it. */
  reset() {
    const {stage} = this;
    if (stage.name === 'sending') stage.abort.abort();
    keepReceipt(stage.name === 'answered' ? stage.endpoint : this.#host.endpoint());
    this.preparation.prepareNext();
    this.#enter(asking);
  }
}
