/** A choice as a group of radio buttons, with its question, help and error, which are connected for assistive technology. */
import {html, nothing, type TemplateResult} from 'lit';
import {creditScore, type Field} from '../../contract/fields.ts';
import type {FieldName} from '../../form/pages.ts';
import type {WordsSoFar} from '../../form/words/words.ts';

/** What is known of a field once the visitor has touched the form. */
export type FieldState = {
  /** As the visitor typed it, or as `tidy` rewrote it. */
  readonly value?: string | undefined;
  /** The error of the field, as `errorText` renders it. */
  readonly error?: TemplateResult | undefined;
  /** What stands below the input, such as a suggestion. */
  readonly below?: TemplateResult | undefined;
};

type Option = {readonly value: string; readonly label: string; readonly aside?: string | undefined};

/** Texts by field and option. */
type Texts = {readonly [Name in FieldName]?: Readonly<Record<string, string>>};

/** The choices of a row, in words. */
export function optionsOf(
  name: FieldName,
  {choices = []}: Field,
  words: {options: Texts; asides: Texts},
): Option[] {
  const {options, asides} = words;
  return choices.map((value) => ({
    value,
    label: options[name]?.[value] ?? value,
    aside: asides[name]?.[value],
  }));
}

/** The only field that is shown before `rest` has arrived. */
export const creditScoreField = (words: WordsSoFar) =>
  choiceField(
    'credit_score',
    creditScore,
    words,
    {},
    [words.questions.credit_score, optionsOf('credit_score', creditScore, words)],
  );

/** @param question the name of the group */
export const choiceField = (
  name: FieldName,
  {kind, required}: Field,
  words: WordsSoFar,
  {value, error}: FieldState,
  [question, options]: readonly [question: unknown, options: readonly Option[]],
) => html`
  <fieldset
    class="field ${kind}"
    part="field"
    data-field=${name}
    role="radiogroup"
    aria-required=${required}
    aria-invalid=${error !== undefined}
    aria-describedby=${describedBy(name, words, error)}
  >
    <legend part="label">${question}</legend>
    ${helpText(name, words)}
    <div class="options" part="options">
      ${options.map(
        (option, index) => html`
          <div class="option">
            <input
              type="radio"
              id="${name}-${index}"
              name=${name}
              value=${option.value}
              .checked=${option.value === value}
            />
            <label for="${name}-${index}" part="option">
              ${option.label} ${option.aside ? html`<span class="aside">${option.aside}</span>` : nothing}
            </label>
          </div>
        `,
      )}
    </div>
    ${error}
  </fieldset>
`;

type Help = {readonly [Name in FieldName]?: string};

export const helpText = (name: FieldName, {help}: {help: Help}) =>
  help[name] ? html`<p class="help" id="${name}-help" part="help">${help[name]}</p>` : nothing;

/**
 * The ids of the field's help and error.
 *
 * @param hint the id of what else is said of the field
 */
export const describedBy = (
  name: FieldName,
  {help}: {help: Help},
  error: TemplateResult | undefined,
  hint?: string,
) => [help[name] && `${name}-help`, hint, error && `${name}-error`].filter(Boolean).join(' ') || nothing;
