/** Gathers what a snippet is made from: the newest version of the form, the partner, and what was chosen. */
import {classicFile, moduleFile, paths} from '../../contract/api.ts';
import type {LeadType} from '../../contract/fields.ts';
import {reservedHeights} from '../../form/reserved-heights.ts';
import {serverWords, type FormLanguage} from '../../form/words/languages.ts';
import {contentFor} from '../../form/words/partner-text.ts';
import type {Config} from '../config/config.ts';
import type {Partner} from '../config/partners.ts';
import {
  hasFirstFiles,
  laterFile,
  movingName,
  newestVersion,
  pinnedFile,
  type EmbedVersion,
} from '../versions/embed-versions.ts';
import {contextOf, inOrder, type Choices} from './choices.ts';
import {fallbackOf} from './fallback.ts';
import {dialogId, type Attributes, type ApplyPage, type ScriptFile, type SnippetParts} from './markup.ts';
import {siteOf} from './receiver.ts';

/** Stands for the partner in a snippet of a page that does not know which partner reads it. */
const samplePartner = 'your-partner-key';

/** The version that snippets pin, which is the newest. Undefined if it lacks a file that they need. */
export function versionForSnippets(versions: readonly EmbedVersion[]): EmbedVersion | undefined {
  const version = newestVersion(versions);
  return version && hasFirstFiles(version) ? version : undefined;
}

/** What to say when there is no version for snippets. */
export const noVersionForSnippets =
  'The newest version of the form lacks a file that snippets need, or there is none: run "npm run build" first.';

/** What to say of a version for snippets that is a build. Undefined if there is nothing to say. */
export const notARelease = ({name, released}: EmbedVersion): string | undefined =>
  released ? undefined : `${name} is a build: this snippet stops working when the form is built again.`;

/**
 * @param partner without one, the form of the snippet is a sample, which needs no partner
 * @param newest the version whose files the snippet pins
 */
export function snippetParts(
  {publicUrl}: Pick<Config, 'publicUrl'>,
  newest: EmbedVersion,
  partner: Partner | undefined,
  {attributes: chosen, properties, version, googleAds}: Choices,
): SnippetParts {
  const scriptFile = (file: string): ScriptFile =>
    version === 'newest'
      ? {src: `${publicUrl}/embed/${movingName(newest)}/${file}`, integrity: undefined}
      : pinnedFile(publicUrl, newest, file);
  const {endpoint, ...others} = chosen;
  const accent = partner?.colors?.accent;
  // If the language is that of the page, it is not known here.
  const lang = chosen['lang'] as FormLanguage | undefined;
  const language = lang ?? 'en';
  const trust = contentFor(partner?.trustLine, language);
  const [leadType, ...otherTypes] = partner?.leadTypes ?? [];
  const attributes: Attributes = {
    ...(endpoint !== undefined && endpoint !== publicUrl && {endpoint}),
    ...(partner?.privacyHref !== undefined && {'privacy-href': partner.privacyHref}),
    ...(trust && {'trust-line': trust.content}),
    ...others,
    // Otherwise the first screen would be another one until the configuration has arrived.
    ...(leadType === 'standard' && otherTypes.length === 0 && {'lead-type': leadType}),
    ...(!partner && {sandbox: chosen['sandbox'] ?? ''}),
  };
  const {title} = serverWords[language].page;
  const key = partner?.key ?? samplePartner;
  const receiver = typeof endpoint === 'string' ? endpoint : publicUrl;
  const context = contextOf(attributes);
  const applyAddress = `${receiver}${paths.apply}/${key}${queryOf({...(lang && {lang}), ...context})}`;
  const isDialog = attributes['presentation'] === 'dialog';
  const firstScreen = firstScreenOf(attributes);
  const isPinned = version !== 'newest';
  // A dialog loads the file when it is opened.
  const rest = isPinned && !isDialog && firstScreen !== 'steps' ? laterFile(newest, 'rest') : undefined;
  return {
    partner: key,
    attributes: {...(isDialog && {id: dialogId}), ...inOrder(attributes)},
    // Weaker than what the style sheets of the page set (form/styles/theme.ts).
    properties: {
      ...properties,
      ...(accent !== undefined &&
        properties['--prequal-accent'] === undefined && {'--prequal-partner-accent': accent}),
    },
    height: isDialog ? undefined : reservedHeights[firstScreen],
    module: scriptFile(moduleFile),
    classic: scriptFile(classicFile),
    preload: rest === undefined ? undefined : pinnedFile(publicUrl, newest, rest),
    server: new URL(publicUrl).origin,
    ownSites: ownSitesOf(publicUrl, partner),
    opener: {
      // Without the form, the link leads to the apply page. The fragment is what opens the dialog.
      href: `${applyAddress}#${dialogId}`,
      text: title[attributes['lead-type'] === 'standard' ? 'standard' : 'prequalification'],
    },
    fallback: isDialog ? undefined : fallbackOf(applyAddress, partner?.contact, language),
    applyPage: applyPageOf(publicUrl, partner, title, context),
    logo: partner?.logo,
    googleAds,
  };
}

/** With its question mark, or empty. */
function queryOf(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query && `?${query}`;
}

function ownSitesOf(publicUrl: string, partner: Partner | undefined): ReadonlySet<string> {
  const {origins = [], privacyHref} = partner ?? {};
  const addresses = [
    publicUrl,
    ...origins.map((origin) => origin.replace('*.', '')),
    privacyHref ?? publicUrl,
  ];
  return new Set(addresses.map(siteOf));
}

function applyPageOf(
  publicUrl: string,
  partner: Partner | undefined,
  titles: Record<LeadType, string>,
  context: Readonly<Record<string, string>>,
): ApplyPage {
  const asksForAll = !partner || partner.leadTypes.includes('prequalification');
  const title = titles[asksForAll ? 'prequalification' : 'standard'];
  return {
    applyUrl: `${publicUrl}${paths.apply}/${partner?.key ?? samplePartner}${queryOf(context)}`,
    title: partner ? `${title} – ${partner.name}` : title,
    firstScreen: asksForAll ? 'steps' : 'standard',
  };
}

function firstScreenOf(attributes: Attributes): keyof typeof reservedHeights {
  if (attributes['lead-type'] === 'standard') return 'standard';
  if (attributes['layout'] === 'single') return 'single';
  return attributes['order'] === 'contact-first' ? 'contact-first' : 'steps';
}
