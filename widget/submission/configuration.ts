/** The partner's configuration, as far as the server gives it: an older or a newer one may say less, or more. */
import type {EmbedConfig} from '../../contract/embed.ts';
import {isObject, problemCode} from './exchange.ts';
import {explainRefusal} from './refusal.ts';
import type {Place} from './types.ts';

/** Milliseconds; whoever sends after that sends without it, and hears from the server what is missing. */
const patience = 10_000;

/** @returns nothing when there is none to be had, which only the webmaster is told */
export const readConfig = (reply: Promise<Response>, place: Place): Promise<EmbedConfig | undefined> =>
  Promise.race([
    read(reply, place),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patience)),
  ]);

async function read(reply: Promise<Response>, place: Place): Promise<EmbedConfig | undefined> {
  try {
    const response = await reply;
    const body: unknown = await response.json();
    if (response.ok) return isObject(body) ? soundOf(body) : undefined;
    explainRefusal(problemCode(body), place);
  } catch (error) {
    if (error instanceof TypeError) explainRefusal('network', place);
  }
  return undefined;
}

/** Whatever is not what it should be is as if it were not there. */
function soundOf({lead_types, minimums, consent, colors, challenge}: Partial<EmbedConfig>): EmbedConfig {
  return {
    lead_types: Array.isArray(lead_types) ? lead_types : [],
    minimums: minimums ?? {},
    consent: typeof consent?.text === 'string' ? consent : null,
    colors: colors ?? {},
    challenge: challenge?.parameters ? challenge : null,
  };
}
