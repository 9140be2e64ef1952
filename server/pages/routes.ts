/** All pages for who is signed in, and who may come. What a page can do, a command can do, too: its words are the action. */
import {roles, type Role} from '../leads/operators.ts';
import {change, changePage} from './changes.ts';
import {changeDestination, destinationsPage} from './destinations.ts';
import {leadPage} from './lead.ts';
import {exportDay} from './export.ts';
import {leadsPage, searchLeads} from './leads.ts';
import {overviewPage} from './overview.ts';
import type {Route} from './visit.ts';
import {auditPage} from './who-looked.ts';

const agents: readonly Role[] = ['agent', 'admin'];
const admins: readonly Role[] = ['admin'];

export const routes: readonly Route[] = [
  {method: 'GET', path: '/', roles, action: 'status', run: overviewPage},
  {method: 'GET', path: '/leads', roles, action: 'leads list', run: leadsPage},
  {method: 'POST', path: '/search', roles, action: 'leads list', run: searchLeads},
  {method: 'POST', path: '/leads/export', roles: admins, action: 'leads export', run: exportDay},
  {method: 'GET', path: '/leads/:id', roles, action: 'leads show', run: leadPage},
  {method: 'GET', path: '/leads/:id/:change', roles: agents, action: 'leads show', run: changePage},
  {method: 'POST', path: '/leads/:id/:change', roles: agents, action: 'leads change', run: change},
  {method: 'GET', path: '/destinations', roles, action: 'destinations list', run: destinationsPage},
  {
    method: 'POST',
    path: '/destinations/:name/:what',
    roles: admins,
    action: 'destinations',
    run: changeDestination,
  },
  {method: 'GET', path: '/audit', roles: admins, action: 'audit list', run: auditPage},
];
