/** The fields of a file, such as `send_to`, by the names that they have in TypeScript: `sendTo`. */

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

export const inCamelCase = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  ) as {[Name in keyof Fields as CamelCase<Name>]: Fields[Name]};
