/** What a job reports while it works, and the words for it. */
import type {Search} from '../persons.ts';
import type {Waiting} from '../purging.ts';
import {counted, lasting} from '../words.ts';

export type Progress =
  Search | Waiting | {erased: string} | {revoked: string} | {encrypted: number} | {underWayUntil: number};

/** `goesOn`: what a page says instead of waiting for the end of the job. */
type Words = {say?: string; goesOn?: string};

/** Operators are told when this many leads must be read, because that takes longer than people expect. */
const manyLeads = 10_000;

/** @returns the words for each report of one job */
export function progressWords(): (progress: Progress) => Words {
  const seen = new Set<string>();
  function isFirst(kind: string): boolean {
    const wasSeen = seen.has(kind);
    seen.add(kind);
    return !wasSeen;
  }
  return (progress) => {
    if ('unprepared' in progress)
      return isFirst('search') && progress.unprepared >= manyLeads
        ? {
            say: `This takes long, because ${counted(progress.unprepared, 'lead')} cannot be found by person yet and must be read. After an update, the server prepares them within minutes.`,
          }
        : {};
    if ('encrypted' in progress) return {say: `${counted(progress.encrypted, 'row')} encrypted …`};
    if ('underWayUntil' in progress)
      return isFirst('under way')
        ? {
            say: 'A process may be sending something of it right now: waiting until that is over.',
            goesOn: 'It is done. A process may be sending something of it right now, for some seconds.',
          }
        : {};
    if (!('waiting' in progress)) return {};
    return isFirst('files')
      ? {
          say: 'What was there before cannot be read any more. Its bytes are in the log of the database until no connection reads what was there before: waiting for it, such as for a backup …',
        }
      : {
          say: `Still waiting, for ${lasting(progress.left)} more at most.`,
          goesOn:
            'It is done, but old copies are still in the files of the database, which something reads. They go when that ends, and the same is done again.',
        };
  };
}

/** @param again the words of the command that tries it once more */
export const notOutOfFiles = (again: string): string =>
  `It is not out of the files yet: something has been reading the database all the time. End it (a backup, another lead-prequal command, a program such as sqlite3), then: lead-prequal ${again}`;
