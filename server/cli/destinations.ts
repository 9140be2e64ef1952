/** `lead-prequal destinations`, with the secret of a webhook, which is made without the store. */
import {randomBytes} from 'node:crypto';
import {Command} from 'commander';
import {destinations} from '../admin/operations/destinations.ts';
import {groupCommand} from './operate.ts';
import type {Run} from './output.ts';

const secretCommand = (run: Run): Command =>
  new Command('secret')
    .description(
      'make a secret for a webhook, for the setting CREDENTIALS_<name>_SECRET and for its receiver',
    )
    .action(() => run.write(`whsec_${randomBytes(32).toString('base64')}\n`));

export const destinationsCommand = groupCommand(destinations, secretCommand);
