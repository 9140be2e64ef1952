/** All pages for who is signed in, and who may come. What a page can do, a command can do, too: its words are the action. */
import {roles, type Role} from '../leads/operators.ts';
import {noteRoute} from './after-call.ts';
import {invitePage, operationRoutes} from './changes.ts';
import {destinationsPage} from './destinations.ts';
import {leadPage} from './lead.ts';
import {exportDay} from './export.ts';
import {leadsPage, searchLeads} from './leads.ts';
import {manyRoutes} from './many.ts';
import {operatorsPage} from './operators.ts';
import {overviewPage} from './overview.ts';
import type {Route} from './visit.ts';
import {auditPage} from './who-looked.ts';

const admins: readonly Role[] = ['admin'];

export const routes: readonly Route[] = [
  {method: 'GET', path: '/', roles, action: 'status', run: overviewPage},
  {method: 'GET', path: '/leads', roles, action: 'leads list', run: leadsPage},
  {method: 'POST', path: '/search', roles, action: 'leads list', run: searchLeads},
  {method: 'POST', path: '/leads/export', roles: admins, action: 'leads export', run: exportDay},
  {method: 'GET', path: '/leads/:id', roles, action: 'leads show', run: leadPage},
  {method: 'GET', path: '/destinations', roles, action: 'destinations list', run: destinationsPage},
  {method: 'GET', path: '/operators', roles: admins, action: 'operators list', run: operatorsPage},
  {method: 'GET', path: '/operators/invite', roles: admins, action: 'operators invite', run: invitePage},
  noteRoute,
  ...manyRoutes,
  ...operationRoutes,
  {method: 'GET', path: '/audit', roles: admins, action: 'audit list', run: auditPage},
];
