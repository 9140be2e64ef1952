/** The first operator of an installation: nobody has a passkey yet, so nobody could invite on the pages. */
import {withAttached} from './admin/attached.ts';
import {inviteOperator, listOperators} from './admin/operators.ts';
import type {Config} from './config/config.ts';
import {accountIn, ownCommand} from './config/environment.ts';
import type {Emit} from './observe/observations.ts';

/** An invitation shows this name until its owner is invited under another one. */
const owner = 'Owner';

/**
 * What whoever starts the server should know, as text for a terminal. Empty once somebody has a passkey.
 * @param mayInvite whether a person reads this. A link in a log would make an admin of everybody who reads the log
 */
export const firstInvitation = (config: Config, emit: Emit, mayInvite: boolean): Promise<string> =>
  withAttached(config, {mayWrite: true, emit, by: {actor: accountIn(), action: 'serve'}}, async (admin) => {
    const operators = await listOperators(admin);
    if (operators.some(({passkeys}) => passkeys > 0)) return '';
    if (!mayInvite)
      return `Nobody can sign in to ${config.admin?.url} yet: ${ownCommand(`operators invite ${owner} --role admin`)}`;
    const again = operators.some(({name, revoked_at}) => name === owner && revoked_at === null);
    const {link} = await inviteOperator(admin, {name: owner, role: 'admin', again});
    return `Your pages: ${link}\n(It works once, for two days, and makes you the first operator.)`;
  });
