/**
 * The later file `sandbox`: the form without a server, for designers and documentation. A mark says that the form is a
 * sample, and the form's requests get made-up answers. Nothing is sent over the network, and nothing is kept.
 */
import {html} from 'lit';
import {adopt} from '../styles/adopt.ts';
import {reply} from './reply.ts';
import {sandboxStyles} from './styles.ts';
import {wordsOf} from './words.ts';

/** Milliseconds that an answer takes, so that one sees what the form shows while it waits. */
const pause = 500;

type SandboxContext = {
  readonly element: HTMLElement;
  /** In the language that the page has now. They are read at every rendering. */
  readonly words: {readonly locale: string};
};

export function createSandbox(context: SandboxContext) {
  adopt(context.element, [sandboxStyles]);

  return {
    /** The line that says that this is a sample. It stands above the form and above its result. */
    mark() {
      const {sample, explained} = wordsOf(context.words.locale);
      return html`<p class="sample" part="sample" role="note"><strong>${sample}</strong> ${explained}</p>`;
    },

    /** Takes the place of the browser's `fetch`. */
    async fetch(this: void, url: string, init?: RequestInit): Promise<Response> {
      await new Promise((resolve) => setTimeout(resolve, pause));
      init?.signal?.throwIfAborted();
      const {status, body} = reply(new URL(url), init, wordsOf(context.words.locale).consent);
      return new Response(JSON.stringify(body), {status});
    },
  };
}

export type Sandbox = ReturnType<typeof createSandbox>;
export type SandboxModule = {readonly createSandbox: typeof createSandbox};
