/** The part of docs/embedding.md that is made from the table of hosts. */
import {classicFile, moduleFile} from '../../contract/api.ts';
import {onePartner} from '../../server/config/partners.ts';
import {hosts, type Block, type Host} from '../../server/snippets/hosts.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import {snippetParts} from '../../server/snippets/parts.ts';
import type {Tables} from './markdown.ts';

/** An example, so that the documentation does not change with each build. */
const version = {
  name: '1.3.0',
  folder: '',
  manifest: {version: '1.3.0', integrity: {[moduleFile]: 'sha384-…', [classicFile]: 'sha384-…'}},
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

const blockCode = ({language, code}: Block) => `\`\`\`${language}\n${code}\n\`\`\``;
const blockText = (block: Block) => `${block.title}:\n\n${blockCode(block)}`;

const hostText = (host: Host) => `### ${host.name}

${host.steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

${host.blocks(parts).map(blockText).join('\n\n')}`;

export const snippetTables: Tables = {
  snippet: () => hosts.html.blocks(parts).map(blockCode).join(),
  hosts: () => Object.values<Host>(hosts).map(hostText).join('\n\n'),
};
