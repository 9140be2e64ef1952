/** Which partners there are. */
import {listPartners, partnerRow} from '../partners.ts';
import {reads, type Group} from './operation.ts';

const list = reads({
  words: 'partners list',
  what: 'list all partners, with the origins of their pages and the address of their apply page',
  opens: 'nothing',
  fields: {},
  line: partnerRow,
  columns: ['partner', 'name', ['origins', ({origins}) => origins.join(' ')], 'page'],
  read: ({config}) => Promise.resolve(listPartners(config)),
});

export const partners: Group = {
  name: 'partners',
  what: 'list the partners, and print the snippets for their pages',
  help: `Examples:
  lead-prequal partners list
  lead-prequal partners snippet acme                        for a page in HTML
  lead-prequal partners snippet acme --host wordpress
  lead-prequal partners snippet acme --host gtm --layout single --accent '#12406f'`,
  rows: [list],
};
