/** The part of docs/embedding.md that is made from the table of platforms. */
import {classicFile, moduleFile} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {fallbackLine, fallbackRules} from '../../server/snippets/fallback.ts';
import {platforms, type Block} from '../../server/snippets/platforms.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {snippetParts} from '../../server/snippets/parts.ts';
import {fenced, type Tables} from './markdown.ts';

/** An example, so that the documentation does not change with each build. */
const version = {
  name: '2.0.0',
  folder: '',
  manifest: {version: '2.0.0', integrity: {[moduleFile]: 'sha384-…', [classicFile]: 'sha384-…'}},
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

/** The rules are the same in all snippets, so the form's reference shows them once. */
const blockText = ({language, code}: Block) =>
  fenced(language, code.replace(fallbackLine, '/* one line of rules */'));

export const snippetTables: Tables = {
  ownHtml: () => platforms.html.blocks(parts).map(blockText).join('\n\n'),
  fallbackRules: () => fenced('css', fallbackRules),
};
