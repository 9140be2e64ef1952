/** `lead-prequal operators`: who may use the operators' pages. */
import {Command, Option} from 'commander';
import {
  invitation,
  inviteOperator,
  listOperators,
  operatorRow,
  revokeOperator,
  type OperatorRow,
} from '../admin/operators.ts';
import {counted, localTime, timeZone} from '../admin/words.ts';
import {roles, type Role} from '../leads/operators.ts';
import {jsonOption} from './options.ts';
import {minuteOrNone, printRows, type Json, type Run} from './output.ts';
import {changingStore, readingStore} from './with-store.ts';

const examples = `
A viewer sees no personal data, an agent calls people, an admin may also erase, export, and pause destinations.

Examples:
  lead-prequal operators invite "Maria Lopez"                  a link for her, which works once
  lead-prequal operators invite "Maria Lopez" --again          she has lost her passkeys: those of before end
  lead-prequal operators invite "Ben Ito" --role admin
  lead-prequal operators revoke "Maria Lopez"                  shuts her out, at once and everywhere`;

type Invite = Json & {role?: Role; again?: boolean};

export function operatorsCommand(run: Run): Command {
  const operators = new Command('operators')
    .description("say who may use the operators' pages")
    .addHelpText('after', examples);
  operators
    .command('invite')
    .description('print a link by which somebody becomes an operator: it works once, within two days')
    .argument('<name>', 'the name of the person, as others see it')
    .addOption(new Option('--role <role>', 'what the person may do (default: agent)').choices(roles))
    .option('--again', 'somebody who is an operator, and has lost all passkeys')
    .addOption(jsonOption(invitation))
    .action((name: string, {json, ...options}: Invite) =>
      changingStore(run, async (admin) => {
        const invited = await inviteOperator(admin, {name, ...options});
        if (json) return run.print(invited);
        await run.write(`${invited.link}\n`);
        const until = `${localTime(Date.parse(invited.expires_at))} (${timeZone()})`;
        run.say(
          `Give this link to ${name} alone, who becomes ${invited.role} by it. It works once, until ${until}.`,
        );
      }),
    );
  operators
    .command('list')
    .description('list the operators, also those who were shut out')
    .addOption(jsonOption(operatorRow))
    .action(({json}: Json) =>
      readingStore(run, async (admin) => {
        const rows = await listOperators(admin);
        await printRows(run, {json}, [rows], head, cellsOf);
        run.say(`${counted(rows.length, 'operator')}; times are those of ${timeZone()}`);
      }),
    );
  operators
    .command('revoke')
    .description('shut an operator out: passkeys, sessions and invitations end at once')
    .argument('<name>', 'the name or the id of the operator')
    .action((named: string) =>
      changingStore(run, async (admin) => {
        await run.write(`${await revokeOperator(admin, named)} is shut out\n`);
      }),
    );
  return operators;
}

const head = ['name', 'role', 'passkeys', 'sessions', 'since', 'state', 'id'];

const cellsOf = ({revoked_at, invited_until, ...row}: OperatorRow) =>
  [
    ...[row.name, row.role, row.passkeys, row.sessions, minuteOrNone(row.created_at)],
    revoked_at === null
      ? invited_until && `invited until ${minuteOrNone(invited_until)}`
      : `shut out ${minuteOrNone(revoked_at)}`,
    row.id,
  ].map((cell) => cell ?? '');
