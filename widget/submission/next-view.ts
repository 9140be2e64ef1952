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

const languageOf = (tag: string) => tag.split('-')[0];

/**
 * The partner's words in the language of the form, also if the partner names another region: `es-MX` for `es-US`. If there
 * are none in this language, the first ones.
 *
 * @param texts by language tag
 * @param locale such as `es-US`
 */
export function inLanguage(texts: Readonly<Record<string, string>>, locale: string): string | undefined {
  const tags = Object.keys(texts);
  const sameLanguage = tags.find((tag) => languageOf(tag) === languageOf(locale));
  return texts[locale] ?? texts[sameLanguage ?? tags[0] ?? ''];
}

/**
 * Puts a number or code in the place of its placeholder. The value is not broken at the end of a line, and its parts keep
 * their order in a text that runs from right to left.
 */
const withValue = (text: string, placeholder: string, value: string) =>
  text
    .split(`{${placeholder}}`)
    .map((piece, index) => [index > 0 ? html`<bdi>${value}</bdi>` : nothing, piece]);
