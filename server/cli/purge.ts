/** Words for the wait until the files of the database no longer hold old copies of what was erased or sealed again. */
import type {Waiting} from '../admin/purging.ts';
import {lasting} from '../admin/words.ts';
import type {Run} from './output.ts';

/** @param what went, as a sentence. @param again the words of the command that tries again */
export type Purged = {what: string; again: string};

/** What is said while it takes long. */
export function createWaitingWords({say}: Pick<Run, 'say'>, {what}: Purged) {
  let isFirst = true;
  return ({left}: Waiting) => {
    say(
      isFirst
        ? `${what} Its bytes are in the log of the database until no connection reads what was there before: waiting for it, such as for a backup …`
        : `Still waiting, for ${lasting(left)} more at most.`,
    );
    isFirst = false;
  };
}

export const notOut = ({again}: Purged) =>
  `It is not out of the files yet: something has been reading the database all the time. End it (a backup, another lead-prequal command, a program such as sqlite3), then: lead-prequal ${again}`;
