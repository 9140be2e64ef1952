/** What the server prints at start, for the operator to paste or to pass on. */
import {paths} from '../../contract/api.ts';
import type {Config} from '../config/config.ts';
import type {EmbedVersion} from '../versions/embed-versions.ts';
import {noChoices} from './choices.ts';
import {platforms} from './platforms.ts';
import {notARelease, noVersionForSnippets, snippetParts, versionForSnippets} from './parts.ts';

export function snippetForTerminal(
  config: Pick<Config, 'publicUrl' | 'partners' | 'snippetsPage'>,
  versions: readonly EmbedVersion[],
): string {
  const version = versionForSnippets(versions);
  if (!version) return noVersionForSnippets;
  const [partner] = config.partners;
  const blocks = platforms.html.blocks(snippetParts(config, version, partner, noChoices));
  const more = config.snippetsPage
    ? `For WordPress, tag managers and other sites: ${config.publicUrl}${paths.snippets}?partner=${partner.key}`
    : `For WordPress, tag managers and other sites: lead-prequal partners snippet ${partner.key} --host wordpress`;
  return `
To put the form of ${partner.name} on a page, paste this where it should appear:

${blocks.map(({code}) => code).join('\n\n')}

${[notARelease(version), more].filter(Boolean).join('\n')}
`;
}
