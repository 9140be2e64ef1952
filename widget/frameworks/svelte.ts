/** `import type {} from 'lead-prequal/svelte'` makes the element known to templates in Svelte 5. */
import type {HTMLAttributes} from 'svelte/elements';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';
import type {Listeners, Props} from './props.ts';

export type SvelteProps = HTMLAttributes<LeadPrequalForm> & Props & Listeners;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'lead-prequal-form': SvelteProps;
  }
}
