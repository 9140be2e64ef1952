import type {} from 'lead-prequal/svelte';
import type {SvelteHTMLElements} from 'svelte/elements';

/** What a template would set. */
type Attributes = SvelteHTMLElements['lead-prequal-form'];

export const right: Attributes = {
  class: 'wide',
  partner: 'acme',
  'lead-type': 'standard',
  order: 'contact-first',
  'onprequal-result': ({detail}) => detail.id.concat(detail.leadType),
};

// @ts-expect-error there is no such layout
export const wrong: Attributes = {layout: 'pages'};
