/** `import type {} from 'lead-prequal/vue'` makes the element known to templates in Vue 3. */
import type {HTMLAttributes, PublicProps} from 'vue';
import type {PrequalEvents} from '../page/events.ts';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';
import type {Listener, Props} from './props.ts';

/** `prequal-result` as `PrequalResult`. */
type Pascal<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/** `@prequal-result` in a template. */
type VueListeners = {[Name in keyof PrequalEvents as `on${Pascal<Name>}`]?: Listener<Name>};

export type VueProps = PublicProps & HTMLAttributes & Props & VueListeners;

declare module 'vue' {
  interface GlobalComponents {
    'lead-prequal-form': new () => LeadPrequalForm & {$props: VueProps};
  }
}
