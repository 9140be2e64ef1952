/**
 * `lead-prequal status`: how the server, its store, its destinations and its partners are, on one screen. The exit status
 * is for monitors.
 */
import {Command} from 'commander';
import {inOneLine, isWell, readStatus, status, unconfigured, type Status} from '../admin/status.ts';
import {daysLooked, sayFormUse} from '../admin/form-use.ts';
import {lateAfter} from '../admin/unheard.ts';
import {ago, bytes, lasting, timeOrNone} from '../admin/words.ts';
import {printable} from '../admin/visible.ts';
import {ConfigError, readConfig} from '../config/config.ts';
import {askState} from '../observe/ask-server.ts';
import {stateColumns} from '../admin/operations/destinations.ts';
import {cellsOf, headsOf, jsonOption} from './operate.ts';
import {printTable, type Field, type Json, type Run} from './output.ts';
import {withStore} from './with-store.ts';

const usage = `
Refusals are those since the start of the servers, as they reported them some seconds ago. The exit status is 2 with a ✗: leads
may not be taken; 1 with a !: something needs an operator; else 0. · is a warning.`;

const signs = {down: '✗', degraded: '!', warning: '·'};

export const statusCommand = (run: Run): Command =>
  new Command('status')
    .description('say how the server, its store, its destinations and its partners are')
    .addOption(jsonOption(status))
    .addHelpText('after', usage)
    .action(async ({json = false}: Json) => {
      const seen = await readSeen(run);
      // Before anything is printed, because the reader of a pipe may close it after the first line.
      run.status = ['ok', 'degraded', 'down'].indexOf(seen.status);
      await (json ? run.print(seen) : printScreen(run, seen));
    });

async function readSeen(run: Run): Promise<Status> {
  try {
    const config = readConfig(run.environment);
    return await readStatus({
      config,
      server: config.port === 0 ? 'unknown' : await askState(config),
      withStore: (work) => withStore(run, {mayWrite: false}, ({store}) => work(store), config),
      // It knows all rooms of the server, as the start does.
      checkStart: async () => (await import('../check-start.ts')).checkStart(run.environment),
    });
  } catch (error) {
    if (error instanceof ConfigError) return unconfigured(error);
    throw error;
  }
}

async function printScreen(run: Run, seen: Status) {
  const {write, printFields} = run;
  const {findings, processes, server, store, disk, destinations, partners} = seen;
  if (isWell(seen)) await write('✓ All is well.\n');
  for (const finding of findings) await write(`${signs[finding.level]} ${printable(inOneLine(finding))}\n`);
  await write('\n');
  await printFields([
    ['server', server],
    ['store', store],
    ...processes.map(({name, configuration, since}): Field => [
      'configuration',
      printable(`${configuration}, since ${timeOrNone(since)}, in ${name}`),
    ]),
    ['disk', disk ? `${bytes(disk.free_bytes)} of ${bytes(disk.size_bytes)} are free` : 'unknown'],
  ]);
  if (destinations.length > 0) {
    await write('\n');
    await printTable(
      run,
      ['destination', ...headsOf(stateColumns), 'late'],
      destinations.map((row) => [
        row.destination,
        ...cellsOf(stateColumns, row),
        row.late_seconds * 1_000 > lateAfter ? lasting(row.late_seconds * 1_000) : '',
      ]),
    );
  }
  if (partners.length === 0) return;
  await write('\n');
  await printTable(
    run,
    ['partner', 'today', 'yesterday', 'refused', 'mostly for', 'last lead', 'form, 7 days'],
    partners.map(({partner, leads_today, leads_yesterday, refusals, refused_for, last_lead_at, form}) => [
      partner ?? '-',
      leads_today,
      leads_yesterday,
      refusals ?? '',
      refused_for ?? '',
      last_lead_at === null
        ? `none in ${daysLooked} days`
        : `${timeOrNone(last_lead_at)} (${ago(Date.parse(last_lead_at))})`,
      form ? sayFormUse(form) : '',
    ]),
  );
}
