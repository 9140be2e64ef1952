/**
 * The archive of texts (`keepWords`) also has the figures and the rules that were in force when leads were stored. Each lead
 * names its own.
 */
import {hashOfText} from './consent-texts.ts';

/** As it stands in the archive. */
export const archived = (value: object): string => JSON.stringify(value);

const names = new WeakMap<object, string>();
/**
 * The beginning of the hash of its text, made once for each object, because that takes longer than the amounts. The beginning is
 * enough to tell the few versions of an installation apart, and the whole made each lead a tenth larger.
 */
export function nameInArchive(value: object): string {
  const name = names.get(value) ?? hashOfText(archived(value)).slice(0, 12);
  names.set(value, name);
  return name;
}
