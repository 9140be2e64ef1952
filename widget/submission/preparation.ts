/** What is fetched and computed before a lead can be sent: the partner's configuration, and the proof of work. */
import {paths} from '../../contract/api.ts';
import type {EmbedConfig} from '../../contract/embed.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {addressOf, isObject, problemCode} from './exchange.ts';
import {explainRefusal} from './failure.ts';
import {solve, type Proof} from './proof.ts';

/** Milliseconds. After that the lead is sent without a configuration, and the server says what is missing. */
const patience = 10_000;

export class Preparation {
  /** As the server gave it last. It is undefined as long as the server has not given any. */
  config: EmbedConfig | undefined;
  /** Settles when the configuration is there, or cannot be had. */
  ready: Promise<unknown> | undefined;
  isSettled = false;

  readonly #endpoint: () => Endpoint;
  readonly #onConfig: () => void;
  /** A proof is good for one lead. */
  #proof: Promise<Proof | undefined> | undefined;
  #address = '';

  constructor(endpoint: () => Endpoint, onConfig: () => void) {
    this.#endpoint = endpoint;
    this.#onConfig = onConfig;
  }

  /** Fetches what is missing: at the first touch, for another endpoint, and after a failure. */
  begin(): Promise<unknown> {
    const address = addressOf(this.#endpoint(), paths.embedConfig);
    if (address !== this.#address) this.config = this.ready = undefined;
    this.#address = address;
    return (this.ready ??= this.renew().then((config) => {
      if (!config) this.ready = undefined;
    }));
  }

  /** Fetches the configuration again, because a text or a proof is out of date. */
  async renew(): Promise<EmbedConfig | undefined> {
    const address = this.#address;
    const fetched = readConfig(this.#endpoint(), address);
    this.#proof = fetched.then((config) => solve(config?.challenge ?? null)).catch(() => undefined);
    const config = await fetched;
    if (address !== this.#address) return this.config;
    this.config = config ?? this.config;
    this.isSettled = true;
    this.#onConfig();
    return config;
  }

  /** A proof for one lead. It is computed in the background from the first touch on. */
  async proof(): Promise<Proof | undefined> {
    if (!this.#proof) await this.renew();
    return this.#proof;
  }

  /** The proof was used. The next one is computed when the visitor wants to send another lead. */
  proofIsUsed() {
    this.#proof = undefined;
  }

  /** Ready for another lead, with a proof that is done when it is needed. */
  prepareNext() {
    if (!this.#proof) void this.renew();
  }
}

/** @returns nothing if there is none to be had. Only the webmaster is told about that. */
const readConfig = (endpoint: Endpoint, address: string): Promise<EmbedConfig | undefined> =>
  Promise.race([
    read(endpoint, address),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patience)),
  ]);

async function read(endpoint: Endpoint, address: string): Promise<EmbedConfig | undefined> {
  try {
    const response = await endpoint.fetch(address);
    const body: unknown = await response.json();
    if (response.ok) return isObject(body) ? sanitize(body) : undefined;
    explainRefusal(problemCode(body), endpoint);
  } catch (error) {
    if (error instanceof TypeError) explainRefusal('network', endpoint);
  }
  return undefined;
}

/** An older or a newer server may say less, or more. A value of a wrong type counts as missing. */
function sanitize({lead_types, minimums, consent, colors, challenge}: Partial<EmbedConfig>): EmbedConfig {
  return {
    lead_types: Array.isArray(lead_types) ? lead_types : [],
    minimums: minimums ?? {},
    consent: typeof consent?.text === 'string' ? consent : null,
    colors: colors ?? {},
    challenge: challenge?.parameters ? challenge : null,
  };
}
