/** `lead-prequal/define`: as define.ts, for an app that decides when the page gets to know the element. */
import {elementName} from '../../contract/api.ts';
import {LeadPrequalForm} from '../lead-prequal-form.ts';
import {attribution} from '../page/attribution.ts';
import {whenIdle} from '../page/when-idle.ts';

/**
 * Makes `<lead-prequal-form>` known to the page, unless another script has done so: a page may contain the script twice, or two
 * versions of it, and the first one defines the element.
 */
export function define(): void {
  if (!customElements.get(elementName)) customElements.define(elementName, LeadPrequalForm);
}

// The page that a campaign links to may have this script and the form be on a later page, so each page with the script
// looks for a campaign in its address. The address is read at once, because the page's own scripts may soon change it.
const {href} = location;
whenIdle(() => attribution(href));

export {LeadPrequalForm};
