/** Invites, lists and shuts out operators. */
import {roles} from '../../leads/operators.ts';
import {
  invitation,
  inviteOperator,
  listOperators,
  operatorNamed,
  operatorRow,
  revokeOperator,
  type OperatorRow,
} from '../operators.ts';
import {counted, localTime, timeZone} from '../words.ts';
import * as field from './fields.ts';
import {changes, reads, type Group} from './operation.ts';

const list = reads({
  words: 'operators list',
  what: 'list the operators, also those who were shut out',
  roles: ['admin'],
  past: 'looked at the operators',
  fields: {},
  line: operatorRow,
  counted: ['operator'],
  columns: [
    'name',
    'role',
    'passkeys',
    'sessions',
    ['last sign-in', 'signed_in_at'],
    ['since', 'created_at'],
    ['invited until', 'invited_until'],
    ['shut out', 'revoked_at'],
    'id',
  ],
  read: listOperators,
});

const endOf = ({name, passkeys, sessions}: OperatorRow) =>
  `${counted(passkeys, 'passkey')} and ${counted(sessions, 'session')} of ${name} end at once.`;

const invite = changes({
  words: 'operators invite',
  what: 'print a link by which somebody becomes an operator: it works once, within two days',
  roles: ['admin'],
  past: 'invited {operator} as {role}',
  planned: 'asked what inviting somebody would do',
  fields: {
    name: field.argument('the name of the person, as others see it'),
    role: field.choice('role', roles, 'what the person may do (default: agent)'),
    again: field.flag('somebody who is an operator, and has lost all passkeys'),
  },
  passkey: true,
  onList: {
    list: 'operators',
    button: 'Invite again…',
    input: (name, {role}) => ({name, role, again: role === undefined}),
  },
  async plan(admin, {name, role, again = false}) {
    const known = again ? await operatorNamed(admin, name) : undefined;
    return {
      does: [
        known !== undefined && endOf(known),
        `${name} becomes ${role ?? known?.role ?? 'agent'} by a link. It works once, within two days, for whoever has it.`,
      ],
      facts: [name, role, again, known?.id],
      prepared: undefined,
    };
  },
  run: inviteOperator,
  line: invitation,
  said: ({link, role, expires_at}, {name}) => ({
    said: [link],
    remarks: [
      `Give this link to ${name} alone, who becomes ${role} by it. It works once, until ${localTime(Date.parse(expires_at))} (${timeZone()}).`,
    ],
  }),
});

const revoke = changes({
  words: 'operators revoke',
  what: 'shut an operator out: passkeys, sessions and invitations end at once',
  roles: ['admin'],
  past: 'took back the access of {operator}',
  planned: 'asked what shutting somebody out would do',
  fields: {name: field.argument('the name or the id of the operator')},
  passkey: true,
  onList: {list: 'operators', button: 'Shut out…', isBad: true, input: (name) => ({name})},
  async plan(admin, {name}) {
    const known = await operatorNamed(admin, name);
    const stays = `${known.name} is ${known.role} no more. What ${known.name} did stays in the audit.`;
    return {does: [endOf(known), stays], facts: [known.id], prepared: known};
  },
  run: async (admin, _, known) => {
    await revokeOperator(admin, known);
    return known.name;
  },
  said: (name) => ({said: [`${name} is shut out`]}),
});

export const operators: Group = {
  name: 'operators',
  what: "say who may use the operators' pages",
  help: `A viewer sees no personal data, an agent calls people, an admin may also erase, export, and pause destinations.

Examples:
  lead-prequal operators invite "Maria Lopez"                  a link for her, which works once
  lead-prequal operators invite "Maria Lopez" --again          she has lost her passkeys: those of before end
  lead-prequal operators invite "Ben Ito" --role admin
  lead-prequal operators revoke "Maria Lopez"                  shuts her out, at once and everywhere`,
  rows: [list, invite, revoke],
};
