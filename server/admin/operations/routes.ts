/** Shows which routing rules of `send_to` match a lead. */
import {Refusal} from '../admin.ts';
import {leadOf, unreadableText} from '../lead-names.ts';
import {routeRow, routesOf} from '../routing.ts';
import * as field from './fields.ts';
import {reads, type Group} from './operation.ts';

const tryRoutes = reads({
  words: 'routes try',
  what: 'say which rules of send_to a lead meets, and why it does not meet the others',
  past: 'asked where {it} goes',
  fields: {lead: field.argument('the id or the reference of the lead')},
  line: routeRow,
  columns: ['to', ['gets it', ({takes}) => (takes === null ? 'not known yet' : takes ? 'yes' : 'no')], 'why'],
  counted: ['destination'],
  async *read({store, config, noteAccess}, {lead: named}) {
    const id = await leadOf({store}, named);
    await noteAccess({lead: id});
    const lead = (await store.readLead(id))?.lead;
    if (lead && 'unreadable' in lead) throw new Refusal(unreadableText(lead));
    if (!lead || !('lead' in lead))
      throw new Refusal(`Nothing is left of ${named} that rules could ask.`, 'unknown');
    const {areOld, rows} = await routesOf({store, config}, lead);
    yield rows;
    return {
      remarks: [
        rows.length === 0 && 'send_to has no rules for such a lead.',
        areOld && 'By the rules of the moment in which it was stored: those in force now are others.',
        'Where it went: "lead-prequal deliveries list" with its reference. A repeat and a correction go where the first went.',
      ],
    };
  },
});

export const routes: Group = {
  name: 'routes',
  what: 'say where leads go by the rules of send_to',
  rows: [tryRoutes],
};
