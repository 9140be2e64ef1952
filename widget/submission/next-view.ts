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
};

export function nextView(words: Words, {id, phone, text}: Next) {
  return html`
    <div class="next" part="next">
      ${
        text
          ? html`<h3>${words.whatNext}</h3>
              <p>${phone ? withValue(text, 'phone', phone) : fill(text, {phone: words.yourNumber})}</p>`
          : nothing
      }
      <p>${withValue(words.reference, 'reference', referenceOf(id))}</p>
    </div>
  `;
}

/**
 * The partner's words in the language of the visitor, or in the first one that there is.
 *
 * @param locale such as `es-US`
 */
export const inLanguage = (texts: Readonly<Record<string, string>>, locale: string): string | undefined =>
  texts[locale] ?? texts[locale.split('-')[0] ?? ''] ?? Object.values(texts)[0];

/**
 * Puts a number or code in the place of its placeholder. It is not broken at the end of a line, and its parts keep their
 * order in a text from right to left.
 */
const withValue = (text: string, placeholder: string, value: string) =>
  text
    .split(`{${placeholder}}`)
    .map((piece, index) => [index > 0 ? html`<bdi>${value}</bdi>` : nothing, piece]);
