/**
 * The commands of `lead-prequal`. A command is loaded when the command line names it, because loading takes most of the
 * time of a start, and each command needs other libraries.
 */
import {Command} from 'commander';
import {groupCommand} from './operate.ts';

const loaders = {
  admin: async () => (await import('./admin.ts')).adminCommand,
  audit: async () => groupCommand((await import('../admin/operations/audit.ts')).audit),
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  callers: async () => (await import('./callers.ts')).callersCommand,
  consent: async () => groupCommand((await import('../admin/operations/consents.ts')).consents),
  config: async () => (await import('./config.ts')).configCommand,
  init: async () => (await import('./init.ts')).initCommand,
  evidence: async () => groupCommand((await import('../admin/operations/evidence.ts')).evidence),
  keys: async () => groupCommand((await import('../admin/operations/keys.ts')).keys),
  leads: async () => (await import('./leads.ts')).leadsCommand,
  deliveries: async () => groupCommand((await import('../admin/operations/deliveries.ts')).deliveries),
  destinations: async () => (await import('./destinations.ts')).destinationsCommand,
  operators: async () => groupCommand((await import('../admin/operations/operators.ts')).operators),
  partners: async () => (await import('./partners.ts')).partnersCommand,
  reload: async () => (await import('./reload.ts')).reloadCommand,
  store: async () => (await import('./store.ts')).storeCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  routes: async () => groupCommand((await import('../admin/operations/routes.ts')).routes),
  versions: async () => groupCommand((await import('../admin/operations/versions.ts')).versions),
  serve: () => Promise.resolve(serveCommand),
};

const serveCommand = (): Command =>
  new Command('serve')
    .description('start the server, as "npm run serve" does')
    // main.ts looks for it by itself, because it is also run without this command.
    .option('--without-pages', "do not start the operators' pages, which then run as lead-prequal admin")
    .action(async () => {
      await import('../main.ts');
    });

/** The command that the first word names. If it names none, all commands, for the help and the list in an error. */
export function loadCommands([first]: readonly string[]) {
  const named = Object.entries(loaders).filter(([name]) => name === first);
  const loaded = named.length > 0 ? named : Object.entries(loaders);
  return Promise.all(loaded.map(([, load]) => load()));
}
