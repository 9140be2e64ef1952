/**
 * What later files share with the first file: modules with state, and large ones. Of others, they have copies. In a later file,
 * imports from the modules below read this object (build/later-files.ts). The build fails if this object lacks an imported name.
 */
import {unsafeCSS} from 'lit';
import {html, nothing, render, svg} from 'lit/html.js';
import {alertView, noticeView, warning} from '../fields/alert-view.ts';
import {changingText} from '../fields/changing-text.ts';
import {choiceField, describedBy, helpText} from '../fields/choice-field.ts';
import {native} from '../page/native.ts';
import {attribution} from '../page/attribution.ts';
import {DoublePress} from '../page/double-press.ts';
import {emit} from '../page/events.ts';
import {safeDocument} from '../page/safe-document.ts';
import {safeLink} from '../page/safe-link.ts';
import {keep, recall} from '../page/session.ts';
import {trusted} from '../page/trusted-types.ts';
import {scriptAddress} from './script-address.ts';

// prettier-ignore
export const shared = {
  html, nothing, render, svg, unsafeCSS,
  alertView, noticeView, warning,
  changingText, choiceField, describedBy, helpText,
  attribution, DoublePress, emit, native, keep, recall, safeDocument, safeLink, trusted, scriptAddress,
};
