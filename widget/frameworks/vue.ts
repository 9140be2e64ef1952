/** `import type {} from 'lead-prequal/vue'` makes the element known to templates in Vue 3. */
import type {HTMLAttributes, PublicProps} from 'vue';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';
import type {ComponentListeners, Props} from './props.ts';

/** `@prequal-result` in a template is `onPrequalResult`. */
export type VueProps = PublicProps & HTMLAttributes & Props & ComponentListeners;

declare module 'vue' {
  interface GlobalComponents {
    'lead-prequal-form': new () => LeadPrequalForm & {$props: VueProps};
  }
}
