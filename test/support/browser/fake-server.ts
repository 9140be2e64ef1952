/**
 * A server that is a function in the place of `window.fetch`. The form, its files and its requests are the real ones.
 */
import type {Prequalification} from '../../../contract/amounts.ts';
import {paths} from '../../../contract/api.ts';
import type {EmbedAnswer, EmbedConfig, EmbedSubmission} from '../../../contract/embed.ts';
import {problemTypePrefix, type ProblemCode} from '../../../contract/problems.ts';
import {restorePage} from './browser-page.ts';

export const endpoint = 'https://leads.example.com';

export type SentLead = {
  url: URL;
  init: RequestInit;
  key: string | undefined;
  body: EmbedSubmission;
};

type Reply = (sent: SentLead) => Response | Promise<Response>;

export const amounts = {
  first_name: 'Maria',
  rollover_amount: 120_000,
  sba_qualified_amount: 560_000,
  unsecured_amount: 150_000,
  portfolio_loan_qualified_amount: 0,
  total_qualified_amount: 830_000,
} satisfies Required<Prequalification>;

export const answer = (over: Partial<EmbedAnswer> = {}): EmbedAnswer => ({
  id: '01934b2c-0000-7000-8000-000000000000',
  token: 'token',
  status: 'done',
  prequalification: amounts,
  reasons: {portfolio_loan_qualified_amount: 'nothing_to_borrow_against'},
  ...over,
});

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {status, headers: {'Content-Type': 'application/json', ...headers}});

export const created = (over?: Partial<EmbedAnswer>) => json(201, answer(over));

export const problem = (
  status: number,
  code: ProblemCode,
  over: {errors?: {field: string; code: string; message: string}[]; headers?: Record<string, string>} = {},
) =>
  json(
    status,
    {type: problemTypePrefix + code, title: code, status, detail: '', errors: over.errors},
    over.headers,
  );

export const config = (over: Partial<EmbedConfig> = {}) =>
  json(200, {
    lead_types: ['standard', 'prequalification'],
    minimums: {rollover_amount: 50_000, sba_qualified_amount: 75_000},
    consent: null,
    colors: {},
    challenge: null,
    ...over,
  } satisfies EmbedConfig);

/** A request for the result of a lead. */
export type Reading = {url: URL; token: string | null};

let bodiesBeingRead = 0;

/**
 * Whether the form is reading a reply. Browsers do that in threads of their own, which take long on a loaded machine.
 */
export const isReadingReply = () => bodiesBeingRead > 0;

function countReading(response: Response): Response {
  for (const method of ['json', 'text'] as const) {
    const read = response[method].bind(response) as () => Promise<string>;
    response[method] = () => {
      bodiesBeingRead++;
      return read().finally(() => bodiesBeingRead--);
    };
  }
  return response;
}

export class FakeServer {
  readonly leads: SentLead[] = [];
  readonly readings: Reading[] = [];
  configRequests = 0;
  /** What `GET /embed/v1/config` answers. */
  config: (url: URL) => Response | Promise<Response> = () => config();
  /** What `GET /embed/v1/leads/<id>` answers. */
  result: () => Response | Promise<Response> = () => json(200, answer());

  readonly #replies: Reply[] = [];
  #fetch = window.fetch.bind(window);

  /** Replaces `window.fetch` until `restore()` is called, with nothing of what was asked and answered before. */
  start() {
    sessionStorage.clear();
    for (const list of [this.leads, this.readings, this.#replies]) list.length = 0;
    this.configRequests = 0;
    this.config = () => config();
    this.result = () => json(200, answer());
    this.#fetch = window.fetch.bind(window);
    window.fetch = async (input, init = {}) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== endpoint) return this.#fetch(input, init);
      if (url.pathname === paths.embedVersions) return json(200, {newest: null, versions: []});
      if (url.pathname === paths.embedConfig) {
        this.configRequests++;
        return countReading(await this.config(url));
      }
      if (url.pathname.startsWith(`${paths.embedLeads}/`)) {
        this.readings.push({url, token: new Headers(init.headers).get('Authorization')});
        return countReading(await this.result());
      }
      const sent: SentLead = {
        url,
        init,
        key: new Headers(init.headers).get('Idempotency-Key') ?? undefined,
        body: JSON.parse(init.body as string) as SentLead['body'],
      };
      this.leads.push(sent);
      const reply = this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0];
      return countReading(await (reply ? reply(sent) : created()));
    };
  }

  /** Sets the replies to the next leads, one for each. The last reply is used for all leads after that. */
  reply(...replies: Reply[]) {
    this.#replies.splice(0, Infinity, ...replies);
  }

  /** @returns a function that answers the next lead, which is not answered before */
  delayReply(response: () => Response = created): () => void {
    const {promise: released, resolve: release} = Promise.withResolvers<void>();
    this.reply(() => released.then(response));
    return release;
  }

  /** @returns a function that answers with this configuration, which is not answered before */
  delayConfig(reply: (url: URL) => Response): () => void {
    const {promise: released, resolve: release} = Promise.withResolvers<void>();
    this.config = (url) => released.then(() => reply(url));
    return release;
  }

  restore() {
    window.fetch = this.#fetch;
    sessionStorage.clear();
  }
}

/** A server for each test of the suite in which this is called. After a test, the page is as it was before. */
export function useServer(): FakeServer {
  const server = new FakeServer();
  const {lang} = document.documentElement;
  beforeEach(() => server.start());
  afterEach(() => {
    restorePage();
    server.restore();
    document.documentElement.lang = lang;
  });
  return server;
}
