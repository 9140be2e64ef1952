/** Opens the store of the server's configuration for a command. A server may be running meanwhile. */
import type {Admin} from '../admin/admin.ts';
import {besideServers} from '../admin/beside.ts';
import {toJson} from '../admin/visible.ts';
import {readConfig, type Config} from '../config/config.ts';
import {lineOf} from '../observe/log-lines.ts';
import type {Run} from './output.ts';

type Work<Result> = (admin: Admin) => Promise<Result>;

/** For commands that only read. */
export const readingStore = <Result>(run: Run, work: Work<Result>, config?: Config): Promise<Result> =>
  using(run, work, false, config);
export const changingStore = <Result>(run: Run, work: Work<Result>): Promise<Result> =>
  using(run, work, true);

function using<Result>(
  {environment, say}: Run,
  work: Work<Result>,
  mayWrite: boolean,
  config = readConfig(environment),
): Promise<Result> {
  return besideServers(config, {mayWrite, emit}, work);

  /** To standard error, because standard output is for the result of the command alone. */
  function emit(observation: Parameters<typeof lineOf>[0]) {
    const line = lineOf(observation);
    if (line) say(`${line.message} ${toJson(line.fields)}`);
  }
}
