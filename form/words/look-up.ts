/**
 * Looks up a name that came from a server in a table of the form. Only the table's own keys count, because names such
 * as `constructor` and `toString` would otherwise find what every object inherits.
 */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, name: string | undefined) =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
