/**
 * Takes the leads of visitors for a partner: those that the form's script sends, and those that a browser sends by itself.
 * The `cid` of the partner is added to each lead here, and is never sent to a browser.
 */
import type {Request} from 'express';
import type {Explanation} from '../../contract/amounts.ts';
import type {EmbedAnswer, EmbedSubmission} from '../../contract/embed.ts';
import {confirmedBy} from '../config/confirmations.ts';
import {mergesDuplicates, type Partner} from '../config/partners.ts';
import {addressDigests, networkDigests} from '../leads/confirmation-digests.ts';
import {comparableText, type IdempotencyDigests, type IdempotencyKey} from '../leads/idempotency.ts';
import type {LeadDesk, Submission} from '../leads/lead-desk.ts';
import {LeadUnreadable} from '../leads/store-errors.ts';
import {parseFormLead, type Lead} from '../leads/lead-schema.ts';
import type {ResultTokens} from '../leads/result-tokens.ts';
import type {DoneAnswer, StoredLead} from '../leads/stored-lead.ts';
import {leadOfForm, readAttribution, readContext} from './embed/embed-submission.ts';
import {readLead, replayLead, submitLead} from './lead-intake.ts';
import {ProblemError} from './problem-replies.ts';

type Parts = {
  desk: LeadDesk;
  digests: IdempotencyDigests;
  /** Whether visitors may get confirmations. */
  confirmations: boolean;
  tokenKeys: readonly [string, ...string[]];
  tokens: ResultTokens;
  explain: (lead: Lead, answer: DoneAnswer) => Explanation | undefined;
};

/** What must be valid for a new lead, and need not be for one that is stored already. */
type Given = Pick<Submission, 'consent' | 'consentText' | 'proof'>;

type Visit = {
  partner: Partner;
  body: EmbedSubmission | undefined;
  lead: Lead;
  idempotency: readonly IdempotencyKey[];
  /** @throws ProblemError if the lead must not be stored */
  readGiven: () => Promise<Given>;
  /** Why a bot may have sent the lead. */
  suspect: string | undefined;
  /** Whether the lead may be merged with an earlier one, if the partner wants that. */
  mayMerge: boolean;
};

export type VisitorLeads = {
  /**
   * Reads the lead in what a page has sent.
   * @returns also the content that must be the same when it is sent again with the same idempotency key
   * @throws ProblemError
   */
  read(partner: Partner, body: EmbedSubmission | undefined): {lead: Lead; content: string};
  /** The digests of an idempotency key of the partner's visitors. */
  digestsOf(partner: Partner, key: string, content: string): IdempotencyKey[];
  /** The lead that was stored with this key before, if any. */
  replay(lead: Lead, idempotency: readonly IdempotencyKey[]): Promise<StoredLead | undefined>;
  /** Stores the lead, or finds the one that was stored with the same key. @throws ProblemError */
  take(request: Request, visit: Visit): Promise<{outcome: 'created' | 'replayed'; stored: StoredLead}>;
  /** The lead with this id, if the token gives access to it. */
  readWithToken(partner: Partner, id: string, token: string): Promise<StoredLead | undefined>;
  toAnswer(stored: StoredLead): EmbedAnswer;
};

export function createVisitorLeads(parts: Parts): VisitorLeads {
  const {desk, digests, confirmations, tokenKeys, tokens, explain} = parts;
  const [addresses, networksOf] = [addressDigests(tokenKeys), networkDigests(tokenKeys)];

  /**
   * An unknown id, another partner's lead, and a missing or wrong token all cause the same query and the same comparison,
   * so that the response time tells a stranger nothing.
   */
  async function findWithToken(partner: Partner, id: string, token: string) {
    const stored = await desk.find(id).catch((error: unknown) => {
      if (error instanceof LeadUnreadable) return error;
      throw error;
    });
    const mayRead = tokens.verify(id, token, stored?.createdAt ?? 0);
    return stored && mayRead && stored.partner === partner.key ? stored : undefined;
  }

  /**
   * The id of the earlier lead that this one corrects, if the page has a valid token for the earlier lead. Nothing needs to
   * be read of that one.
   */
  async function supersededId(partner: Partner, body: EmbedSubmission | undefined) {
    const named = body?.supersedes;
    return named && (await findWithToken(partner, named.id, named.token))?.id;
  }

  return {
    async readWithToken(partner, id, token) {
      const found = await findWithToken(partner, id, token);
      if (found instanceof LeadUnreadable) throw found;
      return found;
    },

    read(partner, body) {
      const lead = readLead(body ? {...leadOfForm(partner, body), cid: partner.cid} : null, parseFormLead);
      if (!partner.leadTypes.includes(lead.lead_type)) {
        throw new ProblemError('lead-type-not-allowed', 'Check the lead-type attribute of the form.');
      }
      const version = partner.consent && body?.consent?.version;
      const fingerprint = comparableText(lead);
      return {lead, content: version === undefined ? fingerprint : `${fingerprint} ${version}`};
    },

    digestsOf: ({key: partner}, key, content) => digests.ofKey(`partner:${partner}`, key, content),

    replay: (lead, idempotency) => replayLead(desk, idempotency, lead),

    async take(request, {partner, body, lead, idempotency, readGiven, suspect, mayMerge}) {
      let given: Given;
      try {
        given = await readGiven();
      } catch (problem) {
        // This may be a retry of a page that lost the response. Then the lead is already stored, so the consent and the
        // proof of the retry need not be valid any more.
        const stored = await replayLead(desk, idempotency, lead);
        if (!stored) throw problem;
        request.leadId = stored.id;
        return {outcome: 'replayed', stored};
      }
      const {confirm} = partner;
      const confirms = confirmations && confirm !== undefined && suspect === undefined;
      const hold = suspect !== undefined && partner.suspect === 'hold';
      const supersedes = await supersededId(partner, body);
      // A merged duplicate is not delivered. If no leads of the partner are delivered, nothing is merged. A lead that is
      // held, or that corrects an earlier one, is never merged, because the other lead would be delivered in its place.
      const isDelivered = partner.answerFrom !== undefined || partner.sendTo.length > 0;
      const merges =
        mayMerge && mergesDuplicates(partner, lead.lead_type) && isDelivered && !hold && !supersedes;
      const {outcome, stored} = await submitLead(desk, {
        lead,
        partner: partner.key,
        answerFrom: partner.answerFrom,
        sendTo: partner.sendTo,
        idempotency,
        ...given,
        attribution: body && readAttribution(body),
        ...(body && readContext(partner, body)),
        suspect,
        hold,
        supersedes,
        confirmBy: confirms ? confirmedBy(confirm) : undefined,
        confirmation: confirms
          ? {
              partner: partner.key,
              address: addresses(lead.email)[0] ?? '',
              networks: networksOf(request.network),
              language: body?.lang ?? given.consent?.textLanguage ?? 'en',
            }
          : undefined,
        leadDigests: merges ? digests.ofLead(comparableText(lead)) : [],
      });
      request.leadId = stored.id;
      return {outcome, stored};
    },

    toAnswer({id, lead, answer}) {
      const amounts = answer.status === 'done' ? answer.amounts : null;
      const explanation = answer.status === 'done' ? explain(lead, answer) : undefined;
      return {
        id,
        token: tokens.issue(id),
        status: answer.status,
        prequalification: amounts && {first_name: lead.first_name, ...amounts},
        reasons: answer.status === 'done' ? answer.reasons : {},
        ...(explanation && {explanation}),
        ...(answer.status === 'refused' && answer.fields && {refused_fields: [...answer.fields]}),
      };
    },
  };
}
