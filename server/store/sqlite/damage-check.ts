/**
 * The process in which the server checks a large database file once after its start: `node damage-check.ts <file>`. It
 * prints the damage, or nothing. The exit status is 1 if the check failed.
 */
import {setPriority} from 'node:os';
import {DatabaseSync} from 'node:sqlite';
import {findDamage} from './files.ts';

/** Priorities go from -20 (highest) to 19. This is low, so that the check does not delay the storing of leads. */
const lowPriority = 15;
setPriority(lowPriority);

const [, , path = ''] = process.argv;
const database = new DatabaseSync(path, {readOnly: true, timeout: 2_000});
process.stdout.write(findDamage(database) ?? '');
database.close();
