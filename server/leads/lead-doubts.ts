/**
 * What stops no start, but somebody should know: leads that nobody is told of, leads without a consent, and consent texts that
 * look wrong. These checks would rather miss a wrong text than warn of a right one.
 */
import {leadTypes} from '../../contract/fields.ts';
import {consentParts} from '../../form/consent-text.ts';
import {langOf} from '../../form/words/text-in-language.ts';
import {routeOf} from '../config/callers.ts';
import {namesOf, type Config} from '../config/config.ts';
import {receiversOf, type Route} from '../config/routes.ts';
import type {Partner} from '../config/partners.ts';
import {unseen} from './hidden-characters.ts';
import type {RememberedText} from './stored-lead.ts';

type Configured = Pick<Config, 'partners' | 'callers' | 'destinations' | 'alerts'>;
type Kind = 'unheard' | 'unmailed' | 'uncallable' | 'texts' | 'rules' | 'unnamed';
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
  const unnamed = partners.flatMap((each) => unnamedReceivers(each, config));
  const never = [
    ...partners.flatMap((each) => neverMet(each.key, each, asksOf(each))),
    ...callers.flatMap((each) => neverMet(each.user, routeOf(each), askedOfCallers)),
  ];
  const leaves = [...partners, ...callers.map((each) => ({key: each.user, ...routeOf(each)}))]
    .filter(mayTakeNone)
    .map(({key}) => key);
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
    [
      'unnamed',
      unnamed,
      'Consent texts do not name who gets the leads: *',
      'Name each company that may call, and the destination as the text names it (docs/partners.md#consent).',
    ],
    ['rules', never, 'Rules of send_to that no lead can meet: *', 'See docs/destinations.md#rules.'],
    [
      'rules',
      leaves,
      'A lead of * that meets no rule of send_to goes nowhere',
      'Add {"to": …, "otherwise": true}, or a name without a rule.',
    ],
  ];
  return rows.flatMap(([kind, names, text, remedy]) => {
    const subject = names === users ? '-' : null;
    return names.length > 0 ? [{kind, subject, text: text.replace('*', () => namesOf(names)), remedy}] : [];
  });
}

/** Without `lead.created`, a webhook or a room hears of no more than a late answer. No route names a confirmation. */
const isHeard = ({answerFrom, ...route}: Route, {destinations}: Configured): boolean =>
  [answerFrom ?? '', ...receiversOf(route)].some((name) => {
    const settings = destinations.get(name);
    if (!settings || !('events' in settings)) return settings !== undefined;
    return settings.events?.includes('lead.created') ?? true;
  });

/** What the leads of a sender can say. */
type Asked = {
  leadTypes: readonly string[];
  fields: readonly string[];
  context: readonly string[];
  questions: Partner['questions'];
};
const asksOf = ({leadTypes, ask, questions, contextFields}: Partner): Asked => ({
  questions,
  leadTypes,
  fields: ask,
  context: contextFields.map(({name}) => name),
});
const askedOfCallers: Asked = {leadTypes, fields: ['state'], context: [], questions: []};

/** Such as `acme: texas (state is not asked for)`. */
const neverMet = (who: string, {rules = []}: Pick<Route, 'rules'>, asked: Asked): string[] =>
  rules.flatMap(({to, when = {}}) => {
    const isAmount = when.total_at_least !== undefined || when.credit_score !== undefined;
    const types = when.lead_type ?? (isAmount ? ['prequalification'] : asked.leadTypes);
    const why = [
      !types.some((type) => asked.leadTypes.includes(type)) && 'lead_types has no such leads',
      isAmount && !types.includes('prequalification') && 'standard leads have no amounts and no score',
      when.state && !asked.fields.includes('state') && 'ask does not name state',
      ...Object.keys(when.context ?? {}).map(
        (name) => !asked.context.includes(name) && `context_fields does not name ${name}`,
      ),
      ...Object.entries(when.answers ?? {}).map(([name, values]) => {
        const choices = asked.questions.find((each) => each.name === name)?.choices ?? [];
        const isChoice = values.some((value) => choices.some((choice) => choice.value === value));
        return !isChoice && `no question ${name} has this choice`;
      }),
    ].find((each) => typeof each === 'string');
    return why === undefined ? [] : [`${who}: ${to} (${why})`];
  });

/** Whether a lead may go nowhere, because it meets no rule. */
export const mayTakeNone = ({answerFrom, rules}: Route): boolean =>
  rules !== undefined && answerFrom === undefined && rules.every(({when}) => when !== undefined);

/** Such as `acme/en (lender)`: another company, by the name of its destination. */
function unnamedReceivers(partner: Partner, {destinations}: Configured): string[] {
  const receivers = [partner.answerFrom ?? [], receiversOf(partner)].flat();
  const services = receivers.filter((each) => destinations.get(each)?.type === 'lead-api');
  return Object.entries(partner.consent?.texts ?? {}).flatMap(([tag, {text}]) => {
    const words = wordsOf(text).join('');
    const missing = services.filter((each) => !words.includes(wordsOf(each)[0] ?? ''));
    const where = [partner.key, langOf(tag) ?? []].flat().join('/');
    return missing.length > 0 ? [`${where} (${missing.join(', ')})`] : [];
  });
}

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
  const receivers = [route.answerFrom ?? '', ...receiversOf(route)];
  const services = receivers.filter((each) => destinations.get(each)?.type === 'lead-api');
  return [key, name, route.confirm?.from_name ?? '', ...services].some((each) => {
    const first = wordsOf(each).find((word) => word !== 'the');
    return first !== undefined && words.join('').includes(first);
  });
}
