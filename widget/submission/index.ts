/**
 * The second file: from the first touch to what the visitor gets for a lead. It imports nothing at run time and
 * gets what it needs from the first file, because a page may load that one under several addresses.
 */
import type {EmbedAnswer, EmbedConfig} from '../../contract/embed.ts';
import {sendable} from './attribution.ts';
import {readConfig} from './configuration.ts';
import {consentView} from './consent-view.ts';
import {emailSlip} from '../../form/email-suggestion.ts';
import {answerIn, exchange} from './exchange.ts';
import {keyRing} from './idempotency-key.ts';
import {notice} from './notice.ts';
import {createPause} from './pause.ts';
import {solve, type Proof} from './proof.ts';
import {keepReceipt, recallReceipt, type Receipt} from './receipt.ts';
import {explainRefusal} from './refusal.ts';
import {attempt, type Attempt} from './send.ts';
import {accentStyles, adopt} from '../styles/adopt.ts';
import {answerStyles} from './styles.ts';
import type {CreateAnswer, Lead, Outcome, Sending} from './types.ts';
import type {Takeaway} from '../takeaway/index.ts';
import {answerView, spoken} from './answer-view.ts';

/** Milliseconds of watching a pending result: the first pause, the longest one, and all of them. */
const pauses = {first: 2_000, longest: 30_000, all: 600_000};

export const createAnswer: CreateAnswer = async (kit, place, fetchConfig, reply) => {
  const touchedAt = performance.now();
  const pause = createPause(kit);
  const keys = keyRing(place.partner, kit);
  let config: EmbedConfig | undefined;
  /** Good for one lead. */
  let proof: Promise<Proof | undefined> | undefined;
  let receipt = recallReceipt(place, kit);
  let answer: EmbedAnswer | undefined;
  let late = false;
  let takeaway: Takeaway | undefined;

  function configure(coming = fetchConfig()) {
    const read = readConfig(coming, place);
    proof = read.then((config) => solve(config?.challenge ?? null)).catch(() => undefined);
    return read;
  }

  /** A result is on its way; without this file it only has fewer buttons. */
  async function loadTakeaway() {
    takeaway ??= (await kit.loadTakeawayModule().catch(() => undefined))?.createTakeaway(kit);
    kit.element.requestUpdate();
  }

  /** For the first time, as opposed to after a reload. */
  function show(next: EmbedAnswer) {
    answer = next;
    takeaway?.arrive(answer.prequalification?.total_qualified_amount ?? 0);
  }

  /** Ready for another lead, with a proof that is done when it is wanted. */
  function clear() {
    answer = undefined;
    if (!proof) void configure();
  }

  const readResult = ({id, token}: Receipt) =>
    exchange(place, id, {headers: {Authorization: `Bearer ${token}`}}).catch(() => undefined);

  async function restore() {
    if (receipt) void loadTakeaway();
    const reply = receipt && (await readResult(receipt));
    if (reply?.status === 404) keepReceipt(place, (receipt = undefined), kit);
    answer = reply && answerIn(reply);
    if (answer?.status === 'pending') void watch();
  }

  async function watch(watched = receipt!) {
    const {id, leadType} = watched;
    late = false;
    for (let wait = pauses.first, left = pauses.all; left > 0; left -= wait) {
      await pause(wait);
      if (answer?.id !== id) return;
      const reply = await readResult(watched);
      if (answer?.id !== id) return;
      const read = reply && answerIn(reply);
      if (read && read.status !== 'pending') {
        show(read);
        kit.announce(spoken(kit.words, {answer: read, leadType, late}));
        kit.report({id, leadType, status: read.status});
        return;
      }
      if (reply?.status === 404) break;
      wait = Math.max((reply?.retryAfter ?? 0) * 1_000, Math.min(wait * 1.5, pauses.longest));
    }
    late = true;
    if (answer) kit.announce(spoken(kit.words, {answer, leadType, late}));
  }

  async function send({consent: seen, ...lead}: Lead, sending: Sending): Promise<Outcome> {
    const {trap, attribution, page, signal} = sending;
    void loadTakeaway();
    if (!config) config = await configure();
    else if (!proof) void configure();

    for (const mended = new Set<string>(); ;) {
      const consent = config?.consent;
      if (consent && consent.version !== seen) {
        return {kind: 'invalid', code: 'consent-outdated', retryable: true, errors: {consent: 'invalid'}};
      }
      const outcome: Attempt = await attempt(
        place,
        {
          lead,
          consent: consent ? {version: consent.version, agreed: consent.required} : undefined,
          proof: await proof,
          trap: trap || undefined,
          attribution: attribution && sendable(attribution),
          elapsed_ms: Math.round(performance.now() - touchedAt),
          page,
          supersedes: receipt && {id: receipt.id, token: receipt.token},
        },
        keys.current(),
        signal,
      );
      if ('id' in outcome) {
        const {id, token, status} = outcome;
        show(outcome);
        receipt = {id, token, leadType: lead.lead_type};
        keepReceipt(place, receipt, kit);
        keys.drop();
        proof = undefined;
        if (status === 'pending') void watch();
        return {kind: 'answered', id, leadType: lead.lead_type, status};
      }

      const {code} = outcome;
      // The lead under this key was taken, its answer got lost, and the visitor has changed something since.
      if (code === 'idempotency-key-reused') keys.drop();
      else if (code === 'proof-needed') {
        // Without a fresh challenge the next attempt would be refused like this one.
        if (!(await configure())) return {kind: 'failed', code: 'network', retryable: true};
      } else if (code === 'consent-outdated') config = (await configure()) ?? config;
      else mended.add(code);
      if (mended.has(code)) {
        explainRefusal(code, place);
        return outcome;
      }
      mended.add(code);
    }
  }

  await Promise.all([configure(reply).then((read) => (config = read)), restore()]);

  adopt(kit.element, [...answerStyles, ...accentStyles(config?.colors.accent)]);

  return {
    get config() {
      return config;
    },
    get answer() {
      return answer;
    },
    consentView: (asking, privacy) => consentView(kit, config?.consent, asking, privacy),
    send,
    emailSlip,
    notice: (failure) => notice(kit, failure),
    view: (shown) =>
      answer &&
      answerView(kit.words, {
        ...shown,
        answer,
        leadType: receipt?.leadType,
        late,
        takeaway,
        minimums: config?.minimums ?? {},
        change() {
          clear();
          shown.change();
        },
      }),
    forget() {
      keepReceipt(place, (receipt = undefined), kit);
      clear();
    },
  };
};
