/**
 * The later file `opaque-frame`: stands in place of the form in a sandboxed frame, from which the server takes no lead. It
 * leads to the partner's apply page on the server, in a new tab, where the visitor types everything.
 */
import {css, html} from 'lit';
import {paths} from '../../contract/api.ts';
import {opaqueFrame as english} from '../../form/words/en.ts';
import {fill} from '../../form/words/fill.ts';
import {opaqueFrames} from '../../form/words/languages.ts';
import type {OpaqueFrameWords} from '../../form/words/words.ts';
import type {Advise} from '../page/advice.ts';
import {adopt} from '../styles/adopt.ts';

const styles = css`
  .elsewhere > * {
    margin-block-end: 16px;
  }
`;

type OpaqueFrameContext = {
  readonly element: HTMLElement;
  /** In the language that the page has now. They are read at every rendering. */
  readonly words: {readonly locale: string};
  endpoint(): {readonly origin: string; readonly partner: string};
  readonly advise: Advise;
};

const byTag: Readonly<Record<string, OpaqueFrameWords>> = opaqueFrames;

export function createOpaqueFrame(context: OpaqueFrameContext) {
  adopt(context.element, [styles]);
  context.advise(({explainRefusal}) => void explainRefusal('network', context.endpoint()));

  return {
    view() {
      const {origin, partner} = context.endpoint();
      const [language = ''] = context.words.locale.split('-');
      const words = byTag[language] ?? english;
      const address = `${origin}${paths.apply}/${encodeURIComponent(partner)}`;
      return html`
        <div class="elsewhere">
          <h2 part="heading">${words.title}</h2>
          <p>${words.text}</p>
          <a
            class="main"
            part="button primary"
            href="${address}?lang=${language}"
            target="_blank"
            rel="noopener"
          >
            ${words.open}
          </a>
          <p class="help">${fill(words.address, {address})}</p>
        </div>
      `;
    },
  };
}

export type OpaqueFrame = ReturnType<typeof createOpaqueFrame>;
