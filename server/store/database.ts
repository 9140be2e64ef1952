import type {Value} from './rows.ts';

/** Parameters are `$1`, `$2` and so on, each once and in this order, in both databases. */
export type Statement = {text: string; values: readonly Value[]};
export type Row = Record<string, Value>;

/** What the two databases have in common. */
export type Database = {
  read: (statement: Statement) => Promise<Row[]>;
  readOne: (statement: Statement) => Promise<Row | undefined>;
  /** In one transaction; resolves after its commit with the rows of the last statement. */
  write: (...statements: Statement[]) => Promise<Row[]>;
  /** How a row of the outbox that another process works on is passed over; empty where there is one process. */
  skipLocked: string;
};

export const statement = (text: string, ...values: Value[]): Statement => ({text, values});
