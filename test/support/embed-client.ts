/** Sends requests like the form on a partner's page does. */
import {randomUUID} from 'node:crypto';
import type {EmbedAnswer, EmbedConfig} from '../../contract/embed.ts';
import {postJson, readJson, type FetchPath} from './http.ts';
import {prequalificationBody, without} from './sample-leads.ts';
import {listedOrigin} from './test-server.ts';

type Sender = {fetch: FetchPath};

export type Sending = {
  /** Other fields of the body. */
  body?: object;
  key?: string;
  partner?: string;
  origin?: string;
  headers?: Record<string, string>;
};

/** A lead of a new person each time, because the same lead of one person would be merged. */
export const somebody = (changes: object = {}) => ({
  ...without(prequalificationBody, 'cid'),
  email: `${randomUUID()}@example.com`,
  ...changes,
});

export function sendLead(server: Sender, lead: object = somebody(), sending: Sending = {}) {
  const {body = {}, key = randomUUID(), partner = 'acme', origin = listedOrigin, headers = {}} = sending;
  const path = `/embed/v1/leads?partner=${partner}`;
  return server.fetch(path, postJson({lead, ...body}, {origin, 'idempotency-key': key, ...headers}));
}

/** The response to a lead that was stored. */
export const sentLead = async (server: Sender, lead?: object, sending?: Sending) =>
  readJson<EmbedAnswer>(await sendLead(server, lead, sending), 201);

export const readLead = (server: Sender, {id, token}: {id: string; token: string}, sending: Sending = {}) => {
  const {partner = 'acme', origin = listedOrigin} = sending;
  const headers = {origin, authorization: `Bearer ${token}`};
  return server.fetch(`/embed/v1/leads/${id}?partner=${partner}`, {headers});
};

/** The configuration that a form of the partner gets. */
export async function formConfig(
  server: Sender,
  partner = 'acme',
  {lang, headers}: {lang?: string | undefined; headers?: Record<string, string>} = {},
): Promise<EmbedConfig> {
  const path = `/embed/v1/config?partner=${partner}${lang === undefined ? '' : `&lang=${lang}`}`;
  return readJson(await server.fetch(path, {headers: {origin: listedOrigin, ...headers}}), 200);
}
