/** Hidden fields: what the page says about itself, in attributes such as `context-brand`, or in the property `context`. */
import {contextPrefix, contextValue, type Context} from '../../contract/embed.ts';
import type {FormElement} from '../fields/form-host.ts';
import {explainContext} from '../page/advice.ts';

/** What the page has set on the element. The property replaces attributes of the same name. */
export const givenContext = ({attributes, context}: FormElement): Context => ({
  ...Object.fromEntries(
    [...attributes]
      .filter(({name}) => name.startsWith(contextPrefix))
      .map(({name, value}) => [name.slice(contextPrefix.length), value]),
  ),
  ...context,
});

/**
 * Selects the fields that are sent. The console names the fields that are left out, except empty ones: templates write
 * those where they have no value.
 * @param names the names that the partner lists, if the configuration has arrived. Without it, the server decides
 */
export function sendableContext(given: Context, names: readonly string[] | undefined): Context | undefined {
  const fields: [string, string][] = [];
  for (const [name, value] of Object.entries<unknown>(given)) {
    const text = typeof value === 'string' ? value.trim() : value;
    if (text === '' || text === undefined || text === null) continue;
    const isListed = names?.includes(name) ?? true;
    if (isListed && typeof text === 'string' && contextValue.test(text)) fields.push([name, text]);
    else explainContext(name, isListed);
  }
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
