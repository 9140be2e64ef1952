/** Below an answer: what happens next, and the reference that the visitor can give on the phone. */
import {html, nothing} from 'lit';
import {referenceOf} from '../../contract/reference.ts';
import {splitAtPlaceholders, withoutName, type PlaceholderValues} from '../../form/words/partner-text.ts';
import type {Words} from '../../form/words/words.ts';

type Next = {
  /** The id of the lead. */
  readonly id: string;
  /** As the visitor typed it. Empty after a reload. */
  readonly phone: string;
  /** Empty if it is not known. */
  readonly firstName: string;
  /** What happens next, with the placeholders of form/words/partner-text.ts. */
  readonly text: string | undefined;
  /** The language of the text, if it is known and may be another than that of the form. */
  readonly lang: string | undefined;
};

export function nextView(words: Words, {id, phone, firstName, text, lang}: Next) {
  const values = {phone, first_name: firstName, reference: referenceOf(id)};
  return html`
    <div class="next" part="next">
      ${
        text
          ? html`<h3>${words.whatNext}</h3>
              <p lang=${lang ?? nothing}>
                ${withValues(words, firstName ? text : withoutName(text), values)}
              </p>`
          : nothing
      }
      <p>${withValues(words, words.reference, values)}</p>
    </div>
  `;
}

/**
 * Puts values in the place of their placeholders. A number or code is not broken at the end of a line, and a name may be.
 * Whatever a value holds is text, and keeps its direction to itself, also in a text that runs from right to left.
 */
const withValues = (words: Words, text: string, values: PlaceholderValues) =>
  splitAtPlaceholders(text).map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece === 'first_name') return html`<span dir="auto">${values[piece]}</span>`;
    // Of the others, only the phone number may be unknown.
    const value = values[piece as keyof PlaceholderValues];
    return value ? html`<bdi>${value}</bdi>` : words.yourNumber;
  });
