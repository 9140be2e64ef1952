import {Promise} from './builtins.ts';

/** Milliseconds that a visitor waits for a file before the form says that it did not arrive. */
const patience = 10_000;

/** The same value, unless it takes longer than these milliseconds. Then the promise rejects. */
export const inTime = <Value>(loading: Promise<Value>, limit = patience): Promise<Value> =>
  new Promise((resolve, reject) => {
    loading.then(resolve, reject);
    setTimeout(() => reject(new Error('too late')), limit);
  });
