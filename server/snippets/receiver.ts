/**
 * Warns of snippets that send leads to another server. The address of the page of snippets can be made by anybody, and
 * whoever opens a stranger's link must not paste such a snippet unawares. The page and the command show the same words.
 */
import {leadToApplyPage, type HostName} from './hosts.ts';
import type {SnippetParts} from './markup.ts';

/** @returns undefined if the leads go to this server */
export function receiverWarning(host: HostName, {attributes: {endpoint}}: SnippetParts): string | undefined {
  // Nothing changes where the apply page sends its leads.
  if (typeof endpoint !== 'string' || leadToApplyPage.has(host)) return undefined;
  return `Leads from this snippet go to ${endpoint} and not to this server. Paste it only if you know that server.`;
}
