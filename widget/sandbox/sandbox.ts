/**
 * The later file `sandbox`: the form without a server, for designers and documentation. A mark says that the form is a
 * sample, and the form's requests get made-up answers. Nothing is sent over the network, and nothing is kept.
 */
import {html} from 'lit';
import {css} from '../styles/css.ts';
import {sandboxes} from '../../form/words/languages.ts';
import {tagFor} from '../../form/words/text-in-language.ts';
import {Promise, URL} from '../page/builtins.ts';
import {adopt, type Adopting} from '../styles/adopt.ts';
import {reply} from './reply.ts';

/** Milliseconds that an answer takes, so that one sees what the form shows while it waits. */
const pause = 500;

/** The mark is also seen in print and with forced colours. */
const styles = css`
  .sample {
    border: 2px dashed;
    border-radius: var(--_corner);
    font-size: 0.875em;
    margin-block-end: 20px;
    padding: 8px 12px;
    text-wrap: balance;
  }
  .sample strong {
    letter-spacing: 0.06em;
    text-transform: uppercase;
  }
`;

/** The language of a sample, whose words no page can replace. @param locale such as `es-US` */
const languageFor = (locale: string) => tagFor(sandboxes, locale) as keyof typeof sandboxes;

type SandboxContext = Adopting & {
  /** In the language that the page has now. They are read at every rendering. */
  readonly words: {readonly locale: string};
};

export function createSandbox(context: SandboxContext) {
  adopt(context, [styles]);

  return {
    /** The line that says that this is a sample. It stands above the form and above its result. */
    mark() {
      const {sample, explained} = sandboxes[languageFor(context.words.locale)];
      return html`<p class="sample" part="sample" role="note"><strong>${sample}</strong> ${explained}</p>`;
    },

    /** Takes the place of the browser's `fetch`. */
    async fetch(this: void, url: string, init?: RequestInit): Promise<Response> {
      await new Promise((resolve) => setTimeout(resolve, pause));
      init?.signal?.throwIfAborted();
      const lang = languageFor(context.words.locale);
      const consent = {text: sandboxes[lang].consent, version: `${lang}/sample`, lang};
      const {status, body} = reply(new URL(url), init, consent);
      return new Response(JSON.stringify(body), {status});
    },
  };
}

export type Sandbox = ReturnType<typeof createSandbox>;
