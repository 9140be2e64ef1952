/** The file that partners embed: makes `<lead-prequal-form>` known to the page. */
import {elementName} from '../contract/api.ts';
import {LeadPrequalForm} from './lead-prequal-form.ts';
import {attribution} from './page/attribution.ts';
import {whenIdle} from './page/when-idle.ts';

// Two scripts, or two versions of one, on a page: the first one wins.
if (!customElements.get(elementName)) customElements.define(elementName, LeadPrequalForm);

// The form may stand on another page than the one a campaign leads to. The page may soon change its own address.
const {href} = location;
whenIdle(() => attribution(href));

export {LeadPrequalForm};
export type {ErrorDetail, PrequalEvents, ResultDetail, StepDetail} from './page/events.ts';
export type {Language} from './localization.ts';
export type {SomeWords} from '../form/words/words.ts';
