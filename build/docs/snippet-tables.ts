/** The part of docs/embedding.md that is made from the table of platforms. */
import {classicFile, moduleFile} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {fallbackLine, fallbackRules} from '../../server/snippets/fallback.ts';
import {platforms, type Block, type Platform} from '../../server/snippets/platforms.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {snippetParts} from '../../server/snippets/parts.ts';
import {fenced, type Tables} from './markdown.ts';

/** An example, so that the documentation does not change with each build. */
const version = {
  name: '1.7.0',
  folder: '',
  manifest: {version: '1.7.0', integrity: {[moduleFile]: 'sha384-…', [classicFile]: 'sha384-…'}},
  released: true,
  advisory: {},
};
const partner = onePartner({
  key: 'acme',
  name: 'Acme Funding',
  origins: ['https://www.acme.example'],
  contact: {phone: '(415) 555-0132', email: 'hello@acme.example'},
  cid: '1001',
});
const parts = snippetParts({publicUrl: 'https://leads.example.com'}, version, partner, noChoices);

/** The rules are the same in all snippets, so the guide shows them once. */
const blockText = ({title, language, code}: Block) =>
  `${title}:\n\n${fenced(language, code.replace(fallbackLine, '/* one line: the rules below */'))}`;

const platformText = (platform: Platform) => `### ${platform.name}

${platform.steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

${platform.blocks(parts).map(blockText).join('\n\n')}`;

export const snippetTables: Tables = {
  platforms: () => Object.values<Platform>(platforms).map(platformText).join('\n\n'),
  fallbackRules: () => fenced('css', fallbackRules),
};
