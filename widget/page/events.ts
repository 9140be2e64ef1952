/** The events of the form. They bubble and leave shadow roots, and carry neither personal data nor amounts. */
import type {LeadStatus} from '../../contract/embed.ts';
import type {LeadType} from '../../contract/fields.ts';
import type {FieldName, StepName} from '../../form/pages.ts';
import type {InputError} from '../../form/read-fields.ts';

export type StepDetail = {
  /** The first step is 1. */
  step: number;
  of: number;
  /** What the step asks for. If all stand on one page, that of the first. */
  name: StepName;
};
export type InvalidDetail = {
  /** The name of the field. What the visitor typed into it is never told. */
  field: FieldName | 'consent';
  /** What is wrong with it. A consent that is not given is `required`. */
  code: InputError;
};
export type ResultDetail = {id: string; leadType: LeadType; status: LeadStatus};
export type ErrorDetail = {
  /** A problem code of the server, or `network`, `timeout`, `bad-answer`, `load-failed`, `page`. */
  code: string;
  /** Whether trying again without a change may help. */
  retryable: boolean;
};

/** The type of `detail`, by the event's name. */
export type PrequalEvents = {
  'prequal-ready': undefined;
  'prequal-start': undefined;
  'prequal-step': StepDetail;
  'prequal-invalid': InvalidDetail;
  'prequal-submit': undefined;
  'prequal-result': ResultDetail;
  'prequal-error': ErrorDetail;
};

// The events bubble, so that they can be listened to on any element, on the document and on the window.
declare global {
  interface GlobalEventHandlersEventMap {
    'prequal-ready': CustomEvent<undefined>;
    'prequal-start': CustomEvent<undefined>;
    'prequal-step': CustomEvent<StepDetail>;
    'prequal-invalid': CustomEvent<InvalidDetail>;
    'prequal-submit': CustomEvent<undefined>;
    'prequal-result': CustomEvent<ResultDetail>;
    'prequal-error': CustomEvent<ErrorDetail>;
  }
}

/**
 * @returns whether the form may go on. A listener stops it by cancelling `prequal-submit`, the only event that can be
 *   cancelled. The data layer does not get a cancelled event, because nothing happens after it.
 */
export function emit<Name extends keyof PrequalEvents>(
  element: HTMLElement,
  name: Name,
  ...[detail]: PrequalEvents[Name] extends undefined ? [] : [PrequalEvents[Name]]
): boolean {
  const cancelable = name === 'prequal-submit';
  const goesOn = element.dispatchEvent(
    new CustomEvent(name, {detail, bubbles: true, composed: true, cancelable}),
  );
  if (goesOn) pushToDataLayer(element.getAttribute('data-layer'), name, detail);
  return goesOn;
}

/**
 * Tag managers read what happens on a page from an array in `window`, whose method `push` they replace by their own.
 *
 * @param layer the name of the array, where an empty name means `dataLayer`; null if nothing is to be pushed
 */
function pushToDataLayer(layer: string | null, event: string, detail?: object) {
  if (layer === null) return;
  // In a microtask of its own, because a tag manager's `push` may throw, which must not stop the form.
  queueMicrotask(() => {
    const page = window as unknown as Record<string, object[]>;
    // All details are in one property, because tag managers remember each property as a variable of the page. An `id`
    // or a `step` of ours would overwrite that of another script.
    (page[layer || 'dataLayer'] ??= []).push({event: event.replace('-', '_'), prequal: {...detail}});
  });
}
