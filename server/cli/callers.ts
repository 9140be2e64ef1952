/** `lead-prequal callers`: makes passwords for those who call `/json/leads`. It neither reads nor changes settings. */
import {Command} from 'commander';
import {callerSchema, newPassword, sha256} from '../callers.ts';

const usage = `
The password is printed once and stored nowhere: give it to the caller over a channel that you trust. The
configuration needs its SHA-256 alone.

To change the password of a caller without a gap: put the new SHA-256 beside the old one, as
"password_sha256": ["<old>", "<new>"], restart the server, let the caller change to the new password, then take
the old one out and restart again.`;

export function callersCommand(): Command {
  const callers = new Command('callers').description('make passwords for those who may call /json/leads');
  const create = callers
    .command('new')
    .description('make a password, and its SHA-256 for the setting CALLERS')
    .argument('<user>', 'the name that the caller signs in with')
    .option('--cid <cid...>', 'for a new caller: the clients whose leads it may create and read')
    .addHelpText('after', usage)
    .action((user: string, {cid = []}: {cid?: string[]}) => {
      const password = newPassword();
      const secret = {password_sha256: sha256(password).toString('hex')};
      const {error} = callerSchema.safeParse({user, ...secret, cids: cid.length > 0 ? cid : ['any']});
      if (error) {
        const names = {user: '<user>', cids: '--cid'} as Record<PropertyKey, string>;
        const lines = error.issues.map(({path, message}) => `${names[path[0]!]} ${message}`);
        return create.error(`error: ${lines.join('; ')}`);
      }
      console.log(`Password of ${user}, which is shown this once: ${password}`);
      // A caller that exists keeps its entry, and gets the hash beside the old one.
      if (cid.length === 0)
        console.log(`Hash for the entry of ${user} in CALLERS: ${JSON.stringify(secret).slice(1, -1)}`);
      else console.log(`Entry for CALLERS: ${JSON.stringify({user, ...secret, cids: cid})}`);
    });
  return callers;
}
