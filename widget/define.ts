/** The file that partners embed: makes `<lead-prequal-form>` known to the page. */
import {define} from './frameworks/define.ts';
import {LeadPrequalForm} from './lead-prequal-form.ts';

define();

export {LeadPrequalForm};
export type {ErrorDetail, InvalidDetail, PrequalEvents, ResultDetail, StepDetail} from './page/events.ts';
export type {Context} from '../contract/embed.ts';
export type {Contact} from './fields/contact-sources.ts';
export type {Language} from './localization.ts';
export type {SomeWords} from '../form/words/words.ts';
