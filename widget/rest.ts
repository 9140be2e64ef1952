/**
 * The later file `rest`: what the first screen of the default layout does not need, except for `sandbox`, `debug` and
 * other languages. It is loaded at the first touch. It is loaded earlier for a first screen with all fields, with a consent
 * text, in a dialog, in a frame whose origin is `null`, or with answers that are known already, and after a reload that
 * follows a sent lead.
 */
import {Draft} from './fields/draft.ts';
import type {FormHost} from './fields/form-host.ts';
import {checkedLink, thanksAddress} from './page/advice.ts';
import {FormHistory} from './submission/form-history.ts';
import {TouchedForm} from './submission/touched-form.ts';

export {afterTouch} from '../form/words/en.ts';
export {Dialog} from './dialog/dialog.ts';
export {OpaqueFrame} from './opaque-frame/opaque-frame.ts';
export {explainOpen} from './page/advice.ts';

export function createTouchedForm(host: FormHost): TouchedForm {
  const form = new TouchedForm(host);
  new Draft(
    host,
    form.fields,
    () => form.isUsed,
    () => form.submission.stage.name === 'answered',
  );
  checkedLink('privacy-href', host.element.privacyHref);
  thanksAddress(host.element);
  if (host.element.history) new FormHistory(host, form);
  return form;
}
