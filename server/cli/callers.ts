/** `lead-prequal callers`: makes passwords for callers of `/json/leads`. It neither reads nor changes settings. */
import {Command} from 'commander';
import {callerSchema, newPassword, sha256} from '../config/callers.ts';

const usage = `
The password is printed once and stored nowhere: give it to the caller over a channel that you trust. The
configuration needs only its SHA-256.

To change the password of a caller without an interruption, first list both hashes in the caller's entry:
"password_sha256": ["<old>", "<new>"]. Restart the server. When the caller uses the new password, remove the old
hash and restart the server again.`;

export function callersCommand(): Command {
  const callers = new Command('callers').description('make passwords for callers of /json/leads');
  const create = callers
    .command('new')
    .description('make a password, and its SHA-256 for the setting CALLERS')
    .argument('<user>', 'the user name of the caller')
    .option('--cid <cid...>', 'for a new caller: the cids of the leads that it may create and read')
    .addHelpText('after', usage)
    .action((user: string, {cid = []}: {cid?: string[]}) => {
      const password = newPassword();
      const secret = {password_sha256: sha256(password).toString('hex')};
      const {error} = callerSchema.safeParse({user, ...secret, cids: cid.length > 0 ? cid : ['any']});
      if (error) {
        const names = {user: '<user>', cids: '--cid'} as Record<PropertyKey, string>;
        const lines = error.issues.map(({path: [field = ''], message}) => `${names[field]} ${message}`);
        return create.error(`error: ${lines.join('; ')}`);
      }
      console.log(`Password of ${user}, which is shown this once: ${password}`);
      // Without --cid the caller has an entry already, to which the operator adds the new hash.
      if (cid.length === 0)
        console.log(`Hash for the entry of ${user} in CALLERS: ${JSON.stringify(secret).slice(1, -1)}`);
      else console.log(`Entry for CALLERS: ${JSON.stringify({user, ...secret, cids: cid})}`);
    });
  return callers;
}
