/** Opens the store of the server's configuration for a command. A server may be running meanwhile. */
import type {Admin} from '../admin/admin.ts';
import {withAttached, type Opening} from '../admin/attached.ts';
import {toJson} from '../admin/visible.ts';
import {readConfig} from '../config/config.ts';
import {accountIn} from '../config/environment.ts';
import {lineOf} from '../observe/log-lines.ts';
import type {Emit} from '../observe/observations.ts';
import type {Run} from './output.ts';

type Work<Result> = (admin: Admin) => Promise<Result>;

/** @throws Refusal if the store cannot be opened */
export const withStore = <Result>(
  run: Run,
  how: Omit<Opening, 'emit'>,
  work: Work<Result>,
  config = readConfig(run.environment),
): Promise<Result> => {
  const by = {actor: accountIn(run.environment), action: run.action};
  return withAttached(config, {...how, emit: emitTo(run), by}, work);
};

/** For commands that work before the first start. Nothing is noted, because there may be no store yet. */
export const withoutStore = <Result>(run: Run, work: Work<Result>): Promise<Result> =>
  work({config: readConfig(run.environment), noteAccess: () => Promise.resolve(), actor: '', store: noStore});

const noStore = new Proxy({} as Admin['store'], {
  get: (_, name) => {
    throw new Error(`This command opens no store, and has none for ${String(name)}`);
  },
});

/** To standard error, because standard output is for the result of the command alone. */
const emitTo =
  ({say}: Run): Emit =>
  (observation) => {
    const line = lineOf(observation);
    if (line) say(`${line.message} ${toJson(line.fields)}`);
  };
