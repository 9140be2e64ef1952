/**
 * `<LeadPrequalForm>` for React 18 and 19, on a server, too. Also, any import of this file makes the element itself,
 * `<lead-prequal-form>`, known to JSX in React 19.
 *
 * React 18 binds neither properties nor events of elements, and React 19 does not do it where it takes over the markup of
 * a server (https://github.com/react/react/issues/35446). So this component leaves only attributes to React. It sets the
 * rest itself, and only then defines the element, so that the first screen has it all and no event comes too early.
 */
import {
  createElement,
  forwardRef,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  type DetailedHTMLProps,
  type ForwardRefExoticComponent,
  type HTMLAttributes,
  type RefAttributes,
} from 'react';
import {define, type LeadPrequalForm as Form} from './define.ts';
import type {PrequalEvents} from '../page/events.ts';
import type {AttributeNames, ComponentListeners, Listeners, Properties, Props} from './props.ts';

export type ReactProps = DetailedHTMLProps<HTMLAttributes<Form>, Form> & Props & Listeners;

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- React declares this namespace
  namespace JSX {
    interface IntrinsicElements {
      'lead-prequal-form': ReactProps;
    }
  }
}

export type LeadPrequalFormProps = HTMLAttributes<Form> &
  Properties & {[Name in `context-${string}`]?: string | undefined} & {
    'data-layer'?: string | undefined;
  } & ComponentListeners;

const attributeNames: AttributeNames & {className: 'class'} = {
  className: 'class',
  leadType: 'lead-type',
  privacyHref: 'privacy-href',
  ctaHref: 'cta-href',
  ctaLabel: 'cta-label',
  prefillFromUrl: 'prefill-from-url',
};

const events: {[Listener in keyof ComponentListeners]-?: keyof PrequalEvents} = {
  onPrequalReady: 'prequal-ready',
  onPrequalStart: 'prequal-start',
  onPrequalStep: 'prequal-step',
  onPrequalInvalid: 'prequal-invalid',
  onPrequalSubmit: 'prequal-submit',
  onPrequalResult: 'prequal-result',
  onPrequalError: 'prequal-error',
};

/** What is left for React. A false attribute is none: React 18 would write the text "false", which means true. */
const attributesOf = (props: object) =>
  Object.fromEntries(
    Object.entries(props)
      .filter(([name]) => !Object.hasOwn(events, name))
      .map(([name, value]) => [
        Object.hasOwn(attributeNames, name) ? attributeNames[name as keyof typeof attributeNames] : name,
        value === false ? undefined : (value as unknown),
      ]),
  );

/** On a server, React 18 warns of layout effects. */
const useBrowserEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect;

export const LeadPrequalForm: ForwardRefExoticComponent<LeadPrequalFormProps & RefAttributes<Form>> =
  forwardRef<Form, LeadPrequalFormProps>(function LeadPrequalForm(
    {prefill, strings, context, ...others},
    outerRef,
  ) {
    const ref = useRef<Form>(null);
    useImperativeHandle(outerRef, () => ref.current!, []);
    useBrowserEffect(() => {
      Object.assign(ref.current!, {prefill, strings, context});
    }, [prefill, strings, context]);
    useBrowserEffect(() => {
      const form = ref.current!;
      const heard = Object.entries(events).map(([name, type]) => {
        const listener = others[name as keyof ComponentListeners] as EventListener | undefined;
        if (listener) form.addEventListener(type, listener);
        return [type, listener] as const;
      });
      return () => {
        for (const [type, listener] of heard) if (listener) form.removeEventListener(type, listener);
      };
    });
    useBrowserEffect(define, []);
    return createElement('lead-prequal-form', {...attributesOf(others), ref});
  });
