/** The properties and event listeners that a template may set on the element, derived from the class of the element. */
import type {LitElement} from 'lit';
import type {PrequalEvents} from '../page/events.ts';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';

type Own = Omit<LeadPrequalForm, keyof LitElement>;
type Property = {[Name in keyof Own]: Own[Name] extends (...of: never) => unknown ? never : Name}[keyof Own];

/** `leadType` as `lead-type`. */
type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : '';

type Properties = {[Name in Property]?: Own[Name]};

/** The properties, under their own names and under the names of their attributes, and attributes of hidden fields. */
export type Props = Properties & {[Name in Property as Kebab<Name>]?: Own[Name]} & {
  [Name in `context-${string}`]?: string | undefined;
};

type Listener<Name extends keyof PrequalEvents> = (event: CustomEvent<PrequalEvents[Name]>) => void;

/** Named like `onprequal-result`, as React 19 and Svelte expect for an element. */
export type Listeners = {[Name in keyof PrequalEvents as `on${Name}`]?: Listener<Name>};

/** `prequal-result` as `PrequalResult`. */
type Pascal<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/** Named like `onPrequalResult`, as Vue expects for a component. */
export type ComponentListeners = {
  [Name in keyof PrequalEvents as `on${Pascal<Name>}`]?: Listener<Name> | undefined;
};
