/**
 * Looks up what a server named, in a table of ours. Only the table's own keys count: `constructor` and `toString`
 * would otherwise find what every object inherits.
 */
export const own = <Value>(table: Readonly<Record<string, Value>>, name: string | undefined) =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
