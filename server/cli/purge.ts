/** Words for the wait until the files of the database no longer hold old copies of what was erased or sealed again. */
import {finish, type Job} from '../admin/admin.ts';
import type {Waiting} from '../admin/purging.ts';
import {lasting} from '../admin/words.ts';
import type {Run} from './output.ts';

/**
 * Reads a job to its end. That the files still hold old copies then is a failure.
 * @param words `what` went, as a sentence; the words of the command that tries `again`
 */
export async function finishPurging<Progress extends object, Result extends {out_of_files: boolean}>(
  {say, fail}: Pick<Run, 'say' | 'fail'>,
  {what, again}: {what: string; again: string},
  job: Job<Progress | Waiting, Result>,
  report?: (progress: Progress) => void,
): Promise<Result> {
  let isFirst = true;
  const result = await finish(job, (progress) => {
    if (!('waiting' in progress)) return report?.(progress);
    say(
      isFirst
        ? `${what} Its bytes are in the log of the database until no connection reads what was there before: waiting for it, such as for a backup …`
        : `Still waiting, for ${lasting(progress.left)} more at most.`,
    );
    isFirst = false;
  });
  if (!result.out_of_files)
    fail(
      `It is not out of the files yet: something has been reading the database all the time. End it (a backup, another lead-prequal command, a program such as sqlite3), then: lead-prequal ${again}`,
    );
  return result;
}
