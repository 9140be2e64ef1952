/** `lead-prequal callers`: makes passwords for callers of `/json/leads`. It neither reads nor changes the configuration. */
import {Command} from 'commander';
import {toJson} from '../admin/visible.ts';
import {callerSchema, newPassword, sha256} from '../config/callers.ts';
import type {Run} from './output.ts';

const usage = `
The password is printed once and stored nowhere: give it to the caller over a channel that you trust.

To change it without an interruption, list both hashes, "password_sha256": ["<old>", "<new>"], and reload. When the caller uses
the new one, remove the old hash, and reload again.`;

export function callersCommand({write}: Run): Command {
  const callers = new Command('callers').description('make passwords for callers of /json/leads');
  const create = callers
    .command('new')
    .description('make a password, and its SHA-256 for callers of lead-prequal.json')
    .argument('<user>', 'the user name of the caller')
    .option('--cid <cid...>', 'for a new caller: the cids of the leads that it may create and read')
    .addHelpText('after', usage)
    .action(async (user: string, {cid = []}: {cid?: string[]}) => {
      const password = newPassword();
      const secret = {password_sha256: sha256(password).toString('hex')};
      const {error} = callerSchema.safeParse({user, ...secret, cids: cid.length > 0 ? cid : ['any']});
      if (error) {
        const names = {user: '<user>', cids: '--cid'} as Record<PropertyKey, string>;
        const lines = error.issues.map(({path: [field = ''], message}) => `${names[field]} ${message}`);
        return create.error(`error: ${lines.join('; ')}`);
      }
      await write(`Password of ${user}, which is shown this once: ${password}\n`);
      // Without --cid the caller has an entry already, to which the operator adds the new hash.
      if (cid.length === 0) await write(`Hash for the entry of ${user}: ${toJson(secret).slice(1, -1)}\n`);
      else await write(`Entry for callers of lead-prequal.json: ${toJson({user, ...secret, cids: cid})}\n`);
    });
  return callers;
}
