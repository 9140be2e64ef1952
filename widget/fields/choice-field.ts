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

/** Texts by field and option. */
type Texts = {readonly [Name in FieldName]?: Readonly<Record<string, string>>};
type Help = {readonly [Name in FieldName]?: string};
/** `options`: the choices in words. `asides`: what stands beside them. */
type ChoiceWords = {readonly help: Help; readonly options: Texts; readonly asides: Texts};

/** The only field that is shown before `rest` has arrived. */
export const creditScoreField = (words: WordsSoFar) =>
  choiceField('credit_score', creditScore, words, {}, words.questions.credit_score);

/** @param question the name of the group */
export const choiceField = (
  name: FieldName,
  {kind, required, choices = []}: Field,
  {help, options, asides}: ChoiceWords,
  {value, error}: FieldState,
  question: unknown,
) => html`
  <fieldset
    class="field ${kind}"
    part="field"
    data-field=${name}
    role="radiogroup"
    aria-required=${required}
    aria-invalid=${error !== undefined}
    aria-describedby=${describedBy(name, {help}, error)}
  >
    <legend part="label">${question}</legend>
    ${helpText(name, {help})}
    <div class="options" part="options">
      ${choices.map((choice, index) => {
        const aside = asides[name]?.[choice];
        const isChosen = choice === value;
        return html`
          <div class="option">
            <input type="radio" id="${name}-${index}" name=${name} value=${choice} .checked=${isChosen} />
            <label for="${name}-${index}" part=${isChosen ? 'option chosen' : 'option'}>
              <span dir="auto">${options[name]?.[choice] ?? choice}</span>
              ${aside ? html`<span class="aside">${aside}</span>` : nothing}
            </label>
          </div>
        `;
      })}
    </div>
    ${error}
  </fieldset>
`;

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
