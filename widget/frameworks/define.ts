/** `lead-prequal/define`: as define.ts, for an app that decides when the page gets to know the element. */
import {elementName} from '../../contract/api.ts';
import {LeadPrequalForm} from '../lead-prequal-form.ts';
import {attribution} from '../page/attribution.ts';
import {whenIdle} from '../page/when-idle.ts';

/** Makes `<lead-prequal-form>` known to the page, unless another script has done so. */
export function define(): void {
  if (!customElements.get(elementName)) customElements.define(elementName, LeadPrequalForm);
}

const {href} = location;
whenIdle(() => attribution(href));

export {LeadPrequalForm};
