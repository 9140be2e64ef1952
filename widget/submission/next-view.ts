/** Below an answer: what happens next, and the reference that the visitor can give on the phone. */
import {html, nothing} from 'lit';
import {referenceOf} from '../../contract/reference.ts';
import {fill} from '../../form/words/fill.ts';
import type {Words} from '../../form/words/words.ts';

type Next = {
  /** The id of the lead. */
  readonly id: string;
  /** As the visitor typed it. Empty after a reload. */
  readonly phone: string;
  /** What happens next, with the placeholder `{phone}`. */
  readonly text: string | undefined;
  /** The language of the text, if it is known and may be another than that of the form. */
  readonly lang: string | undefined;
};

export function nextView(words: Words, {id, phone, text, lang}: Next) {
  return html`
    <div class="next" part="next">
      ${
        text
          ? html`<h3>${words.whatNext}</h3>
              <p lang=${lang ?? nothing}>
                ${phone ? withValue(text, 'phone', phone) : fill(text, {phone: words.yourNumber})}
              </p>`
          : nothing
      }
      <p>${withValue(words.reference, 'reference', referenceOf(id))}</p>
    </div>
  `;
}

/**
 * Puts a number or code in the place of its placeholder. The value is not broken at the end of a line, and its parts keep
 * their order in a text that runs from right to left.
 */
const withValue = (text: string, placeholder: string, value: string) =>
  text
    .split(`{${placeholder}}`)
    .map((piece, index) => [index > 0 ? html`<bdi>${value}</bdi>` : nothing, piece]);
