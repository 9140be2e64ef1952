/** Opens the store of the server's configuration for a command. A server may be running meanwhile. */
import {userInfo} from 'node:os';
import type {Admin} from '../admin/admin.ts';
import {besideServers} from '../admin/beside.ts';
import {toJson} from '../admin/visible.ts';
import {readConfig} from '../config/config.ts';
import {lineOf} from '../observe/log-lines.ts';
import type {Emit} from '../observe/observations.ts';
import type {Run} from './output.ts';

type Work<Result> = (admin: Admin) => Promise<Result>;

/** For commands that only read. */
export const readingStore = <Result>(
  run: Run,
  work: Work<Result>,
  config = readConfig(run.environment),
): Promise<Result> => besideServers(config, {mayWrite: false, ...accessOf(run)}, work);

export const changingStore = <Result>(run: Run, work: Work<Result>): Promise<Result> =>
  besideServers(readConfig(run.environment), {mayWrite: true, ...accessOf(run)}, work);

const accessOf = (run: Run) => ({emit: emitTo(run), by: {actor: accountOf(run), action: run.action}});

/** The account on this machine, and under sudo also the one that called it: `root (sudo ana)`. */
function accountOf({environment = process.env}: Run): string {
  const {SUDO_USER: caller} = environment;
  return `${accountName()}${caller ? ` (sudo ${caller})` : ''}`;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the account may have a number alone.
    return `user ${process.getuid?.()}`;
  }
}

/** To standard error, because standard output is for the result of the command alone. */
const emitTo =
  ({say}: Run): Emit =>
  (observation) => {
    const line = lineOf(observation);
    if (line) say(`${line.message} ${toJson(line.fields)}`);
  };
