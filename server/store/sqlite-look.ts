/**
 * A process that looks for damaged pages in a database file and ends: `node sqlite-look.ts <file>`. Prints a line
 * of JSON, `{"damage": "…"}` or `{}`; ends with status 1 where it could not look. A process, because a look at a
 * large file takes long, and a thread cannot be stopped in the middle of it.
 */
import {setPriority} from 'node:os';
import {DatabaseSync} from 'node:sqlite';
import {findDamage} from './sqlite-files.ts';

/** Leads go first: of the priorities from -20 (highest) to 19. */
const lowPriority = 15;
setPriority(lowPriority);

const database = new DatabaseSync(process.argv[2]!, {readOnly: true, timeout: 2_000});
console.log(JSON.stringify({damage: findDamage(database)}));
database.close();
