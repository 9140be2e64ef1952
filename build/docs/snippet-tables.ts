/** The part of docs/embedding.md that is made from the table of kinds of sites. */
import {classicFile, moduleFile} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {fallbackLine, fallbackRules} from '../../server/snippets/fallback.ts';
import {siteKinds, type Block, type SiteKind} from '../../server/snippets/site-kinds.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {snippetParts} from '../../server/snippets/parts.ts';
import type {Tables} from './markdown.ts';

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

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;
/** The rules are the same in all snippets, so the guide shows them once. */
const blockText = ({title, language, code}: Block) =>
  `${title}:\n\n${fenced(language, code.replace(fallbackLine, '/* one line: the rules below */'))}`;

const siteText = (site: SiteKind) => `### ${site.name}

${site.steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

${site.blocks(parts).map(blockText).join('\n\n')}`;

export const snippetTables: Tables = {
  'site-kinds': () => Object.values<SiteKind>(siteKinds).map(siteText).join('\n\n'),
  fallbackRules: () => fenced('css', fallbackRules),
};
