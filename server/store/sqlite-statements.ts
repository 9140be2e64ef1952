import type {DatabaseSync, StatementSync} from 'node:sqlite';
import type {Row} from './database.ts';
import type {Value} from './rows.ts';

export type Runner = {
  all: (text: string, ...values: readonly Value[]) => Row[];
  one: (text: string, ...values: readonly Value[]) => Row | undefined;
};

/** Runs statements whose parameters are `$1`, `$2`, each once and in this order; a text is prepared once. */
export function createRunner(database: DatabaseSync): Runner {
  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string) => {
    let statement = prepared.get(text);
    if (!statement) prepared.set(text, (statement = database.prepare(text.replaceAll(/\$\d+/g, '?'))));
    return statement;
  };
  return {
    all: (text, ...values) => prepare(text).all(...values) as Row[],
    one: (text, ...values) => prepare(text).get(...values) as Row | undefined,
  };
}
