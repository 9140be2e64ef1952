/** `lead-prequal deliveries`: finds the deliveries of leads, tries them again, and ends them by hand. */
import {Command, InvalidArgumentError, Option} from 'commander';
import type {Admin} from '../admin/admin.ts';
import {
  countDeliveries,
  deliveriesOf,
  deliveryCount,
  deliveryRow,
  dropDeliveries,
  listDeliveries,
  retryDeliveries,
  settleDelivery,
  shownDelivery,
  stopsNamed,
  type Selection,
} from '../admin/deliveries.ts';
import {noDestination} from '../admin/destinations.ts';
import {counted, placed} from '../admin/words.ts';
import {printable} from '../admin/visible.ts';
import {upstreamIdSchema} from '../destinations/lead-api/upstream-id.ts';
import {deliveryStates, openStates} from '../leads/deliveries.ts';
import {jsonOption, limitOption, sinceOption, untilOption} from './options.ts';
import {orMore, printRows, timeOrNone, type Json, type Run} from './output.ts';
import {changingStore, readingStore} from './with-store.ts';

const examples = `
A delivery takes a lead, or the news of one, to a destination. Its states:
  waiting    it is due now or later, perhaps after it has failed
  held       you must decide: a bot may have sent the lead, or nobody knows whether the destination has it
  refused    the destination will never take it
  failed     it was given up after three days of failing. That somebody said stop, or was erased, never is
  delivered  the destination has it
  dropped    an operator ended it, or it is a confirmation that is not sent any more

Examples:
  lead-prequal deliveries summary                              how many wait, are held, were refused or failed
  lead-prequal deliveries list --failing                       which keep failing, and why
  lead-prequal deliveries list --state failed                  which were given up
  lead-prequal deliveries show K7QM-2XHD                       all deliveries of a lead, with the last replies
  lead-prequal deliveries retry --destination crm --state failed
                                                               send these again
  lead-prequal deliveries retry --destination crm --state delivered --since yesterday
                                                               send again what crm got since yesterday
  lead-prequal deliveries drop K7QM-2XHD --destination crm     never send this one`;

type Options = Omit<Selection, 'lead'> & {id?: string};

/** Adds the options that select deliveries. */
function selecting(command: Command): Command {
  return command
    .argument('[lead]', 'the id or the reference of a lead')
    .option('--id <lead>', 'the same as the argument')
    .option('--destination <name>', 'only deliveries to this destination')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .option('--failing', 'only deliveries whose last attempt failed')
    .option('--stops', 'only the news that somebody said stop, or was erased')
    .addOption(sinceOption('leads'))
    .addOption(untilOption('leads'))
    .hook('preAction', (command) => {
      const {id} = command.opts<Options>();
      if (id !== undefined && command.args.length > 0) command.error('error: name the lead once');
    });
}

const selectionOf = (lead: string | undefined, {id = lead, ...others}: Options): Selection => ({
  ...others,
  lead: id,
});

export function deliveriesCommand(run: Run): Command {
  const deliveries = new Command('deliveries')
    .description('find deliveries that wait, failed or were made; send them again, or end them')
    .addHelpText('after', examples);
  for (const add of [addList, addSummary, addShow, addRetry, addDrop, addSettle]) add(deliveries, run);
  return deliveries;
}

function addList(deliveries: Command, run: Run) {
  selecting(deliveries.command('list'))
    .description(
      'list deliveries, the oldest leads first; without --state those that wait or need a decision, of a lead all',
    )
    .addOption(limitOption('deliveries'))
    .addOption(jsonOption(deliveryRow))
    .action((lead: string | undefined, {json, limit, ...options}: Options & ListOptions) =>
      readingStore(run, (admin) => list(run, admin, selectionOf(lead, options), {limit, json})),
    );
}

function addSummary(deliveries: Command, run: Run) {
  deliveries
    .command('summary')
    .description('count the deliveries that wait or need a decision, by destination and state')
    .addOption(jsonOption(deliveryCount))
    .action((json: Json) => readingStore(run, (admin) => summarize(run, admin, json)));
}

function addShow(deliveries: Command, run: Run) {
  deliveries
    .command('show')
    .description('show all deliveries of a lead, what went wrong, and how the last reply began')
    .argument('<lead>', 'the id or the reference of a lead')
    .addOption(jsonOption(shownDelivery))
    .action((named: string, {json}: Json) =>
      readingStore(run, (admin) => showDeliveries(run, admin, named, json)),
    );
}

function addRetry(deliveries: Command, run: Run) {
  const retry = selecting(deliveries.command('retry'))
    .description('make deliveries due now')
    .option('--all', 'all deliveries in the outbox that are not held')
    .addHelpText(
      'after',
      `
Without --state, held deliveries are tried only if the lead is named. Deliveries that have succeeded are made again
only with --state delivered, and only news: a lead-api would store the lead a second time.`,
    )
    .action((lead: string | undefined, {all, ...options}: Options & {all?: boolean}) => {
      if (!all && lead === undefined && Object.keys(options).length === 0)
        return retry.error('error: name a lead, select deliveries, or say --all');
      return changingStore(run, async (admin) => {
        const {deliveries, paused, why_none} = await retryDeliveries(admin, selectionOf(lead, options));
        run.say(`${counted(deliveries, 'delivery', 'deliveries')} due now`);
        if (why_none !== null) run.fail(why_none);
        else run.say('To a destination that is failing, one is tried at a time until it works.');
        for (const {destination, reason} of paused)
          run.say(
            printable(
              `${destination} is paused (${reason}): its deliveries wait until "lead-prequal destinations resume ${destination}".`,
            ),
          );
      });
    });
}

function addDrop(deliveries: Command, run: Run) {
  const drop = selecting(deliveries.command('drop'))
    .description('never make these deliveries; a lead that waits for the answer of one counts as refused')
    .option('--yes', 'if no lead is named: drop the deliveries of all leads that are selected')
    .addHelpText(
      'after',
      `
The news that somebody said stop, or was erased, is left, unless --stops asks for it alone: tell those receivers by hand first.
To take it back: lead-prequal deliveries retry --state dropped (only news).`,
    )
    .action((lead: string | undefined, {yes = false, ...options}: Options & {yes?: boolean}) => {
      if (lead === undefined && Object.keys(options).length === 0)
        return drop.error('error: name a lead, or select deliveries');
      if (lead === undefined && options.id === undefined && !yes)
        return drop.error('error: this drops the deliveries of all leads that are selected: add --yes');
      return changingStore(run, async (admin) => {
        const {deliveries, stops, why_none} = await dropDeliveries(admin, selectionOf(lead, options));
        run.say(`${counted(deliveries, 'delivery', 'deliveries')} dropped`);
        for (const {reference, destination, content} of stops)
          run.say(printable(`Left: ${destination} must hear that ${reference} was ${content}.`));
        if (stops.length > 0)
          run.say(
            `${stops.length < stopsNamed ? 'Tell' : 'There may be more. Tell'} them by hand, then drop this by --stops.`,
          );
        if (why_none !== null) run.fail(why_none);
      });
    });
}

function addSettle(deliveries: Command, run: Run) {
  deliveries
    .command('settle')
    .description('say that an upstream has a lead, so that it is asked only for the amounts')
    .argument('<lead>', 'the id or the reference of the lead')
    .requiredOption(
      '--taken-as <upstream id>',
      'the id that the upstream gave to the lead, as its operator says',
      readUpstreamId,
    )
    .option('--destination <name>', 'the upstream, if the lead waits for several')
    .action((lead: string, {takenAs, destination}: {takenAs: string; destination?: string}) =>
      changingStore(run, async (admin) => {
        await settleDelivery(admin, {lead, destination}, takenAs);
        run.say('1 delivery settled');
      }),
    );
}

function readUpstreamId(value: string): string {
  const {success, data} = upstreamIdSchema.safeParse(value);
  if (!success) throw new InvalidArgumentError('An id has 1 to 256 characters.');
  return data;
}

const head = ['lead', 'happened', 'destination', 'content', 'state', 'tries', 'what went wrong'];

type ListOptions = {limit: number} & Json;

async function list(run: Run, admin: Admin, selection: Selection, {limit, json}: ListOptions) {
  const {destination} = selection;
  const {destinations} = admin.config;
  const pages = listDeliveries(admin, selection, limit);
  const many = await printRows(run, {json}, pages, head, (row) => [
    row.reference,
    timeOrNone(row.happened_at),
    ...[placed(row), row.content, row.state, row.attempts],
    row.last_error ?? '',
  ]);
  run.say(`${counted(many, 'delivery', 'deliveries')}${orMore(limit - many)}`);
  if (many === 0 && destination !== undefined && !destinations.has(destination))
    run.fail(noDestination(destination, destinations));
}

async function summarize(run: Run, admin: Admin, json: Json) {
  const counts = await countDeliveries(admin);
  const none = `No delivery is ${openStates.join(', ').replace(/, (?=\w+$)/, ' or ')}.`;
  if (!json.json && counts.length === 0) return run.say(none);
  const summaryHead = ['destination', 'state', 'deliveries', 'oldest lead'];
  await printRows(run, json, [counts], summaryHead, ({destination, state, deliveries, oldest_created_at}) => [
    ...[destination, state, deliveries],
    timeOrNone(oldest_created_at),
  ]);
}

/** All deliveries of a lead. Says which last replies are damaged in the database, which is a failure. */
export async function readDeliveries({fail}: Run, admin: Admin, lead: string) {
  const {deliveries, damaged} = await deliveriesOf(admin, lead);
  for (const destination of damaged)
    fail(`The last reply of ${destination} cannot be read: it is damaged in the database.`);
  return deliveries;
}

/** Shows all deliveries of a lead. */
async function showDeliveries(run: Run, admin: Admin, lead: string, json = false) {
  const {print, printFields, write, say} = run;
  const deliveries = await readDeliveries(run, admin, lead);
  for (const delivery of deliveries) {
    if (json) await print(delivery);
    else {
      const given = Object.entries(delivery).filter(([, value]) => value !== null && value !== false);
      await printFields(given.map(([name, value]) => [name, String(value)]));
      await write('\n');
    }
  }
  if (deliveries.length === 0) say('This lead has no deliveries.');
}
