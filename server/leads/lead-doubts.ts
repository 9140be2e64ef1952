/**
 * What stops no start, but somebody should know: leads that nobody is told of, leads without a consent, and consent texts that
 * look wrong. These checks would rather miss a wrong text than warn of a right one.
 */
import {consentParts} from '../../form/consent-text.ts';
import {langOf} from '../../form/words/text-in-language.ts';
import {routeOf} from '../config/callers.ts';
import {namesOf, type Config} from '../config/config.ts';
import type {Route} from '../config/destinations.ts';
import type {Partner} from '../config/partners.ts';
import {unseen} from './hidden-characters.ts';
import type {RememberedText} from './stored-lead.ts';

type Configured = Pick<Config, 'partners' | 'callers' | 'destinations' | 'alerts'>;
type Kind = 'unheard' | 'unmailed' | 'uncallable' | 'texts';
/** `subject`: `-` if it is about callers. `text`: a sentence without its full stop. */
export type LeadDoubt = {kind: Kind; subject: '-' | null; text: string; remedy: string};

/** One of each sort, which names all whom it is about. @param remembered the consent texts of stored leads */
export function leadDoubts(config: Configured, remembered: readonly RememberedText[] = []): LeadDoubt[] {
  const {partners, callers, alerts} = config;
  const unheard = partners.filter((each) => !isHeard(each, config)).map(({key}) => key);
  const users = callers.filter((each) => !isHeard(routeOf(each), config)).map(({user}) => user);
  const holding = partners.filter(({suspect}) => suspect === 'hold' && !alerts).map(({key}) => key);
  const isGone = (key: string) => remembered.some(({partner}) => partner === key);
  const lacking = partners
    .filter(({consent}) => !consent)
    .map(({key}) => (isGone(key) ? `${key} (its consent text is gone from the configuration)` : key));
  const texts = partners.flatMap((each) => doubtfulTexts(each, config));
  const which = 'which names an email, chat, webhook or lead-api (docs/destinations.md).';
  const caller = `Set destinations, and send_to of the caller, ${which}`;
  const consent = 'Set consent of the partner (docs/partners.md#consent).';
  const alert = 'Set alerts_to (docs/operations.md#alerts-by-e-mail).';
  const rows: [Kind, names: string[], text: string, remedy: string][] = [
    ['unheard', unheard, 'Nobody is told of the leads of *', `Set send_to of the partner, ${which}`],
    ['unheard', users, 'Nobody is told of the leads that callers send (*)', caller],
    ['unmailed', holding, "No e-mail says when leads of * are held as a bot's", alert],
    ['uncallable', lacking, 'Nobody may call the leads of *, because visitors agree to nothing', consent],
    ['texts', texts, 'Consent texts are probably wrong: *', 'See docs/partners.md#consent.'],
  ];
  return rows.flatMap(([kind, names, text, remedy]) => {
    const subject = names === users ? '-' : null;
    return names.length > 0 ? [{kind, subject, text: text.replace('*', () => namesOf(names)), remedy}] : [];
  });
}

/** Without `lead.created`, a webhook or a room hears of no more than a late answer. No route names a confirmation. */
const isHeard = ({answerFrom, sendTo}: Route, {destinations}: Configured): boolean =>
  [answerFrom ?? '', ...sendTo].some((name) => {
    const settings = destinations.get(name);
    if (!settings || !('events' in settings)) return settings !== undefined;
    return settings.events?.includes('lead.created') ?? true;
  });

/** Such as `acme/en (seems to be in es)`. */
const doubtfulTexts = (partner: Partner, config: Configured): string[] =>
  Object.entries(partner.consent?.texts ?? {}).flatMap(([tag, {text}]) => {
    const words = wordsOf(text);
    const nameless = namesCompany(words, partner, config) ? undefined : 'names no company that may call';
    const doubt = words.length === 0 ? 'has no words to read' : (otherLanguage(words, tag) ?? nameless);
    return doubt === undefined ? [] : [`${[partner.key, langOf(tag) ?? []].flat().join('/')} (${doubt})`];
  });

/** What a visitor can read: no address of a link, no placeholder, no tags of HTML, no hidden characters. */
const wordsOf = (text: string): string[] =>
  consentParts(text)
    .map((part) => ('text' in part ? part.text : ' '))
    .join('')
    .replace(/<[^>]*>|&#?\w+;/g, ' ')
    .replace(unseen, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Frequent words that the other language does not have. */
const frequent = {
  en: /^(i|you|we|your|my|our|the|and|or|of|to|that|this|with|by|for|from|at|is|are|be|may|can|will|agree|calls?)$/,
  es: /^(yo|usted|mi|su|sus|el|la|los|las|y|o|de|del|que|esta|con|por|para|en|una|se|al|le|acepto|llamadas)$/,
};

/** Whether a text seems to be in another language than its tag says. A foreign name in it is not enough. */
function otherLanguage(words: readonly string[], tag: string): string | undefined {
  if (tag !== 'en' && tag !== 'es') return undefined;
  const other = tag === 'en' ? 'es' : 'en';
  const count = (language: 'en' | 'es') => words.filter((word) => frequent[language].test(word)).length;
  return count(other) >= 3 && count(other) > 4 * count(tag) ? `seems to be in ${other}` : undefined;
}

/** Whether a text names its partner, or a lead service that gets the leads: `Acme` is enough for `Acme Funding, LLC`. */
function namesCompany(words: readonly string[], {key, name, ...route}: Partner, {destinations}: Configured) {
  const receivers = [route.answerFrom ?? '', ...route.sendTo];
  const services = receivers.filter((each) => destinations.get(each)?.type === 'lead-api');
  return [key, name, route.confirm?.from_name ?? '', ...services].some((each) => {
    const first = wordsOf(each).find((word) => word !== 'the');
    return first !== undefined && words.join('').includes(first);
  });
}
