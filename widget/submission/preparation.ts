/** What is fetched and computed before a lead can be sent: the partner's configuration, and the proof of work. */
import {paths} from '../../contract/api.ts';
import type {EmbedConfig} from '../../contract/embed.ts';
import {creditScores, type LeadType} from '../../contract/fields.ts';
import type {PolicyFigures} from '../../contract/policy.ts';
import {ownRows, type Rows} from '../../form/pages.ts';
import {totalSoFar} from '../../form/total-so-far.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {explainRefusal} from '../page/advice.ts';
import {Promise} from '../page/builtins.ts';
import {inTime} from '../page/in-time.ts';
import {addressOf, isObject, isOfPage, builtVersion, problemCode} from './exchange.ts';
import {solve, type Proof} from './proof.ts';

/**
 * Milliseconds that the form waits for the configuration. Then it sends the lead without one, and the server decides.
 */
const timeout = 10_000;

/** Milliseconds that a visitor who has pressed the last button waits for the proof. */
const proofPatience = 30_000;

/** What the form uses of the configuration. */
type UsedConfig = Omit<
  Required<EmbedConfig>,
  'minimums' | 'estimate' | 'next_step_named' | 'name' | 'contact' | 'call_promise'
> &
  Pick<EmbedConfig, 'estimate' | 'name' | 'contact'> & {
    /** Of what the partner asks besides. */
    readonly rows: Partial<Rows>;
  };

export class Preparation {
  /** The newest configuration that has arrived. Undefined until the first one arrives. */
  config: UsedConfig | undefined;
  /**
   * The code of the problem, if the server has refused this page its configuration, or `page` if the browser has blocked the
   * request. It would be so with a lead, too.
   */
  refusal: string | undefined;
  /** Settles when the configuration has arrived, or could not be loaded. */
  ready: Promise<unknown> | undefined;
  /** A configuration has arrived, or could not be loaded. */
  isSettled = false;
  /** The server counts this view of the page already, or need not, because the visitor has sent the form before. */
  isCounted = false;

  readonly #endpoint: () => Endpoint;
  readonly #locale: () => string;
  readonly #onConfig: () => void;
  /** The proof for the next lead. The server accepts each proof for one lead only. */
  #proof: Promise<Proof | undefined> | undefined;
  /** Where the configuration was asked for, without the language and with it. Empty before the first touch. */
  #server = '';
  #address = '';
  /** Call this when the visitor touches the form. From then on, the proof of a lead is computed in the background. */
  touch = () => {};
  #isTouched = false;
  readonly #touched = new Promise<void>(
    (resolve) =>
      (this.touch = () => {
        this.#isTouched = true;
        resolve();
      }),
  );

  /** @param locale the language of the form, such as `es-US` */
  constructor(endpoint: () => Endpoint, locale: () => string, onConfig: () => void) {
    this.#endpoint = endpoint;
    this.#locale = locale;
    this.#onConfig = onConfig;
  }

  /**
   * Fetches the configuration, and again for another endpoint or language. After a failure, sending tries again. In
   * another language only the texts differ, so the configuration stays until the next one arrives.
   */
  begin(): Promise<unknown> {
    const server = addressOf(this.#endpoint(), paths.embedConfig);
    const address = this.#addressIn(server);
    if (server !== this.#server) {
      this.config = this.refusal = undefined;
      this.isCounted &&= this.#server === '';
    }
    if (address !== this.#address) this.ready = undefined;
    this.#server = server;
    this.#address = address;
    return (this.ready ??= this.renew());
  }

  #addressIn(server: string) {
    return `${server}&lang=${encodeURIComponent(this.#locale())}`;
  }

  /** If the configuration has been asked for, asks again after the page has changed its language. */
  followLanguage() {
    if (this.#server && this.#addressIn(this.#server) !== this.#address) void this.begin();
  }

  /** Fetches the configuration again, because the server says that the consent or the proof is out of date. */
  async renew(): Promise<UsedConfig | undefined> {
    const address = this.#address;
    const fetched = inTime(this.#request(address), timeout).catch(() => undefined);
    this.#proof = this.#touched
      .then(() => fetched)
      .then((config) => solve(config?.challenge ?? null))
      .catch(() => undefined);
    const config = await fetched;
    if (address !== this.#address) return this.config;
    this.config = config ?? this.config;
    this.isSettled = true;
    this.#onConfig();
    return config;
  }

  /**
   * @returns nothing if the configuration does not arrive. The console may say why. The visitor hears of it only when they
   *   send the form.
   */
  async #request(address: string): Promise<UsedConfig | undefined> {
    const endpoint = this.#endpoint();
    const view = this.isCounted ? 'again' : this.#isTouched ? 'began' : 'shown';
    this.isCounted = true;
    try {
      const response = await endpoint.fetch(`${address}&view=${view}&version=${builtVersion}`);
      const body: unknown = await response.json();
      if (response.ok) return isObject(body) ? sanitize(body) : undefined;
      const code = problemCode(body);
      if (response.status === 403) this.refusal = code;
      void explainRefusal(code, endpoint);
    } catch (error) {
      if (error instanceof TypeError)
        void explainRefusal(isOfPage(error) ? 'page' : 'network', endpoint).then(
          (found) => (this.refusal = found || undefined),
        );
    }
    this.isCounted = view === 'again';
    return undefined;
  }

  /**
   * A proof for one lead.
   *
   * @throws when it is not found in time. The computing goes on, for the visitor who tries again.
   */
  async proof(): Promise<Proof | undefined> {
    this.touch();
    if (!this.#proof) await this.renew();
    return this.#proof && inTime(this.#proof, proofPatience);
  }

  /** The proof was used. The next one is computed when the visitor wants to send another lead. */
  proofIsUsed() {
    this.#proof = undefined;
  }

  /** Ready for another lead, with a proof that is done when it is needed. Nothing is fetched before the first touch. */
  prepareNext() {
    if (this.#address && !this.#proof) void this.renew();
  }
}

/** The configuration of an older or newer server may have other keys or types. A value of a wrong type is left out. */
function sanitize(sent: Partial<EmbedConfig>): UsedConfig {
  const {consent, name, contact, about, challenge} = sent;
  const ask = listIn(sent.ask);
  const rows = ownRows(ask);
  const estimate = sent.estimate && {
    ...sent.estimate,
    portfolio_loan: sent.estimate.portfolio_loan_from ?? sent.estimate.portfolio_loan,
  };
  return {
    lead_types: listIn(sent.lead_types),
    consent: typeof consent?.text === 'string' ? consent : null,
    colors: sent.colors ?? {},
    next_step: texts(sent.next_step_named ?? sent.next_step),
    ...(typeof name === 'string' && {name}),
    about: {...about, lines: listIn(about?.lines)},
    ...(Array.isArray(contact) && {contact: contact.filter(isContact)}),
    cta: Object.fromEntries(
      Object.entries(sent.cta ?? {}).filter(([, link]) => isObject(link) && isLink(link)),
    ),
    ...(estimate && canEstimate(estimate) && {estimate}),
    ask: ask.filter(({name}) => Object.hasOwn(rows, name)),
    rows,
    context_fields: listIn(sent.context_fields),
    challenge: challenge?.parameters ? challenge : null,
  };
}

const listIn = <Item>(given: readonly Item[] | undefined): readonly Item[] =>
  Array.isArray(given) ? (given as readonly Item[]) : [];

const texts = (byLanguage: Readonly<Record<string, string>> | undefined) =>
  Object.fromEntries(Object.entries(byLanguage ?? {}).filter(([, text]) => typeof text === 'string'));

const isContact = ({href, text}: Record<string, unknown>) =>
  typeof text === 'string' && /^(tel|mailto):/.test(String(href));

const isLink = ({label, href}: Record<string, unknown>) =>
  typeof label === 'string' && /^https:/i.test(String(href));

/** Whether the figures have all that the calculator reads. */
function canEstimate(figures: PolicyFigures): boolean {
  const richest = {credit_score: creditScores[0], retirement: '99', cash: '99', investments: '99'};
  try {
    return Number.isFinite(totalSoFar(richest, figures).total);
  } catch {
    return false;
  }
}

/**
 * The page asks for a lead type, and the partner's configuration may not allow it. The form then asks for less than
 * the page wanted, never for more. If the page's lead type is still not allowed, the server refuses the lead.
 */
export const effectiveLeadType = (wanted: LeadType, allowed: readonly LeadType[] = [wanted]): LeadType =>
  allowed.includes(wanted) || !allowed.includes('standard') ? wanted : 'standard';
