/** The element, for whoever decides when the page gets to know it: the script that a page embeds, or an app. */
import {elementName} from '../contract/api.ts';
import {LeadPrequalForm} from './lead-prequal-form.ts';
import {attribution} from './page/attribution.ts';
import {whenIdle} from './page/when-idle.ts';

/** Makes `<lead-prequal-form>` known to the page. Of several scripts or versions on a page, the first one defines it. */
export function define(): void {
  if (!customElements.get(elementName)) customElements.define(elementName, LeadPrequalForm);
}

// The page that a campaign links to may have this script and the form be on a later page, so each page with the script
// looks for a campaign in its address. The address is read at once, because the page's own scripts may soon change it.
const {href} = location;
whenIdle(() => attribution(href));

export {LeadPrequalForm};
