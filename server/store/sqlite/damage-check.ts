/**
 * The process that damage-watch.ts starts to check a database file: `node damage-check.ts <file>`. It prints a line of
 * JSON, `{"damage": "…"}` or `{}`, and ends. The exit status is 1 if the check failed. The check has a process of its
 * own, because it takes long for a large file, and a thread could not be stopped in the middle of it.
 */
import {setPriority} from 'node:os';
import {DatabaseSync} from 'node:sqlite';
import {findDamage} from './files.ts';

/** Priorities go from -20 (highest) to 19. This is low, so that the check does not delay the storing of leads. */
const lowPriority = 15;
setPriority(lowPriority);

const [, , path = ''] = process.argv;
const database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
console.log(JSON.stringify({damage: findDamage(database)}));
database.close();
