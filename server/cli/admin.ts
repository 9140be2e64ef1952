/** `lead-prequal admin`: runs the operators' pages. */
import {Command} from 'commander';
import type {Run} from './output.ts';

const usage = `
With ADMIN_URL, which says where operators reach it, the server runs it by itself (docs/admin.md). This is for a machine without
a server, or while none runs: as its user, in the same folder and with the same settings. "lead-prequal operators invite" makes the first one.`;

export const adminCommand = ({environment}: Run): Command =>
  new Command('admin')
    .description("run the operators' pages, until a signal to stop")
    .addHelpText('after', usage)
    .action(async () => {
      const [{runPages}, {routes}] = await Promise.all([
        import('../pages/process.ts'),
        import('../pages/routes.ts'),
      ]);
      await runPages(environment, routes);
    });
