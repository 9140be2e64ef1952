/** Lists who looked at personal data, or changed it. */
import {referenceOf} from '../../../contract/reference.ts';
import {auditEntry} from '../../leads/audit.ts';
import {leadOf} from '../lead-names.ts';
import * as field from './fields.ts';
import {reads, type Group} from './operation.ts';

const list = reads({
  words: 'audit list',
  what: 'list who looked at leads or changed them, the newest first, without personal data',
  roles: ['admin'],
  past: 'looked at this list',
  fields: {
    since: field.since('entries'),
    until: field.until('entries'),
    who: field.option('name', 'only entries of somebody whose name has this part'),
    lead: field.option('lead', 'only entries that name this lead, by its id or reference'),
    limit: field.limit('entries'),
  },
  line: auditEntry,
  counted: ['entry', 'entries'],
  isCut: true,
  columns: [
    ['when', 'at'],
    ['who', 'actor'],
    ['what', 'action'],
    'leads',
    [
      'which',
      ({filter, ids}) => [
        ...Object.entries(filter).map(([name, value]) =>
          value === true ? name : `${name}=${String(value)}`,
        ),
        ...ids.map(referenceOf),
      ],
    ],
  ],
  read: async (admin, {limit, lead, ...filter}) =>
    admin.store.auditEntries(
      {...filter, lead: lead === undefined ? undefined : await leadOf(admin, lead)},
      limit,
    ),
});

export const audit: Group = {
  name: 'audit',
  what: 'say who looked at personal data, or changed it',
  rows: [list],
};
