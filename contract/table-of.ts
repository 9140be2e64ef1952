/** Makes a table from the list of its keys, so that the table cannot lack one of them. */

/**
 * An object with one property for each key. A table that is made this way follows the list of its keys: whoever adds a
 * key does not have to find the table.
 */
export const tableOf = <Key extends string, Value>(keys: readonly Key[], valueOf: (key: Key) => Value) =>
  // TypeScript does not know that `Object.fromEntries` returns a property for each key.
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;
