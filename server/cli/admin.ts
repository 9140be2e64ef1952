/** `lead-prequal admin`: runs the operators' pages. */
import {Command} from 'commander';
import type {Run} from './output.ts';

const usage = `
Where ADMIN_URL is set, the server starts these pages itself. Run this where no server does: on another machine, while it is
stopped, or beside "serve --without-pages".`;

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
