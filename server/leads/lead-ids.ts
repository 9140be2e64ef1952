/** The time in the id of a lead. The id is a UUID version 7, whose first 48 bits are milliseconds since 1970. */

/** When the lead with this id was created. */
export const createdAtOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const maxTime = 2 ** 48 - 1;

/** A text that is sorted before the ids of all leads created at this time or later, and after all earlier ones. */
export function firstIdAt(time: number): string {
  const digits = Math.min(Math.max(Math.ceil(time), 0), maxTime)
    .toString(16)
    .padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
