/** As `\u0022`. */
const escaped = (unit: string) => `\\u${(unit.charCodeAt(0) + 0x1_00_00).toString(16).slice(1)}`;

/**
 * Writes JSON without `JSON.stringify`, which asks each value for its `toJSON`: some old libraries give one to all texts,
 * lists or objects, and others replace `JSON` by an object of their own.
 */
export const toJson = (value: unknown): string => {
  if (typeof value === 'string') return `"${value.replace(/["\\\p{Cc}\p{Cs}]/gu, escaped)}"`;
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${toJson(name)}:${toJson(member)}`).join()}}`;
};
