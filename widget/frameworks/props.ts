/** What a template may set on the element and hear from it, made from the element's own types. */
import type {LitElement} from 'lit';
import type {PrequalEvents} from '../page/events.ts';
import type {LeadPrequalForm} from '../lead-prequal-form.ts';

type Own = Omit<LeadPrequalForm, keyof LitElement>;
type Property = {[Name in keyof Own]: Own[Name] extends (...of: never) => unknown ? never : Name}[keyof Own];

/** `leadType` as `lead-type`. */
type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : '';

/** By their names as properties and as attributes. */
export type Props = {[Name in Property]?: Own[Name]} & {[Name in Property as Kebab<Name>]?: Own[Name]};

export type Listener<Name extends keyof PrequalEvents> = (event: CustomEvent<PrequalEvents[Name]>) => void;

/** `onprequal-result`, as React and Svelte write it. */
export type Listeners = {[Name in keyof PrequalEvents as `on${Name}`]?: Listener<Name>};
