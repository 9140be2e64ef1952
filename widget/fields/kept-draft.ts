/**
 * What a draft holds: the answers as they were typed, the step, and the time. It is in the session storage, where other
 * scripts of the page can replace it by anything.
 */
import type {Field} from '../../contract/fields.ts';
import {fieldTable} from '../../form/pages.ts';
import {isField, type Values} from '../../form/read-fields.ts';
import {keep, recall} from '../page/session.ts';
import {toJson} from '../page/to-json.ts';
import {draftName, forgetDraft, recallDraft} from './contact-sources.ts';

/** UTF-16 code units. No field takes a text that is nearly as long: of one line, or of several. */
const [longestLine, longestText] = [1_000, 5_000];

/** Whether the visitor can have typed or chosen it. An empty text is what a choice has for "rather not say". */
function isTypable(name: string, value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const {kind, required, choices} = isField(name) ? fieldTable[name] : unknown;
  const options = kind === 'flag' ? ['true', 'false'] : choices;
  if (options) return options.includes(value) || (!required && value === '');
  // The choices that the partner asks for are not known here.
  if (kind === 'text') return value !== '' && value.length <= longestText;
  return value !== '' && value.length <= longestLine && !/[\r\n]/.test(value);
}

/** A draft is read before the configuration comes, which says what the partner asks. Only what it names is ever sent. */
const unknown: Field = {kind: 'text', required: true};

/** Values that no visitor can have typed are left out. */
const typable = (source: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(
    Object.entries(source)
      .filter(([name, value]) => name !== 'step' && isTypable(name, value))
      .sort(),
  );

/** Equal for the same answers, whether an empty field was read or not. */
export const answersText = (values: Values): string => toJson(typable(values));

/** The answers of the draft that is kept now, however old it is, as `answersText` writes them. */
export const keptText = (partner: string): string => answersText(recall(draftName(partner)) ?? {});

/**
 * Keeps the answers as they are, also what is not acceptable yet, such as half a phone number. Without any answer, the
 * draft is removed.
 *
 * @param step the name of the step that is shown
 */
export function keepDraft(partner: string, values: Values, step: string | undefined) {
  const answers = typable(values);
  const isEmpty = Object.keys(answers).length === 0;
  keep(draftName(partner), isEmpty ? undefined : {...answers, step, at: Date.now()});
}

/** The draft is of now, because the visitor has it on the screen. */
export function prolongDraft(partner: string) {
  const draft = recall(draftName(partner));
  if (draft) keep(draftName(partner), {...draft, at: Date.now()});
}

/** @returns the answers, and the name of the step if it was kept. A draft that is too old is removed */
export function readDraft(partner: string): {values: Values; step: unknown} | undefined {
  const draft = recallDraft(partner);
  if (draft) return {values: typable(draft), step: draft['step']};
  forgetDraft(partner);
  return undefined;
}
