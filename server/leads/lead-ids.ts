/** The ids of leads. An id is a UUID version 7 in lower case, whose first 48 bits are milliseconds since 1970. */

const form = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const whole = new RegExp(`^${form.source}$`);

/** The form of an id, to be a part of a regular expression. */
export const leadIdForm = form.source;

export const isLeadId = (text: string): boolean => whole.test(text);

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
