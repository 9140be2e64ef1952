/**
 * What later files use of the copy that the first file has: what keeps a state, and what is large. Of everything else,
 * later files get a copy of their own. In a later file, all imports of the modules below read this object (build/later-files.ts). The build fails if a later file imports a name from one of them that is not in this object.
 */
import {unsafeCSS} from 'lit';
import {html, nothing, render, svg} from 'lit/html.js';
import {alertView, noticeView, warning} from '../fields/alert-view.ts';
import {choiceField, describedBy, helpText} from '../fields/choice-field.ts';
import {native} from '../page/native.ts';
import {attribution} from '../page/attribution.ts';
import {emit} from '../page/events.ts';
import {keep, recall} from '../page/session.ts';
import {trusted} from '../page/trusted-types.ts';
import {scriptAddress} from './script-address.ts';

// prettier-ignore
export const shared = {
  html, nothing, render, svg, unsafeCSS,
  alertView, noticeView, warning,
  choiceField, describedBy, helpText,
  attribution, emit, native, keep, recall, trusted, scriptAddress,
};
