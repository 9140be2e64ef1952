/** The file that partners embed: makes `<lead-prequal-form>` known to the page. */
import {elementName} from '../contract/api.ts';
import {LeadPrequalForm} from './lead-prequal-form.ts';
import {attribution} from './page/attribution.ts';
import {whenIdle} from './page/when-idle.ts';

// A page may contain this script twice, or two versions of it. The first one defines the element.
if (!customElements.get(elementName)) customElements.define(elementName, LeadPrequalForm);

// The page that a campaign links to may have this script and the form be on a later page, so each page with the script
// looks for a campaign in its address. The address is read at once, because the page's own scripts may soon change it.
const {href} = location;
whenIdle(() => attribution(href));

export {LeadPrequalForm};
export type {ErrorDetail, InvalidDetail, PrequalEvents, ResultDetail, StepDetail} from './page/events.ts';
export type {Context} from '../contract/embed.ts';
export type {Contact} from './fields/contact-sources.ts';
export type {Language} from './localization.ts';
export type {SomeWords} from '../form/words/words.ts';
