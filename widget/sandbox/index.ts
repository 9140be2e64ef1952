/**
 * The form without a server, for designers and documentation: a mark that says so, and made-up answers to the
 * requests that the form would make. Nothing leaves this file, and nothing is kept.
 */
import {html} from 'lit';
import {adopt} from '../submission/styles.ts';
import type {Kit} from '../submission/types.ts';
import {reply} from './reply.ts';
import {sandboxStyles} from './styles.ts';
import {wordsOf} from './words.ts';

/** Milliseconds: long enough to see what the form does meanwhile. */
const pause = 500;

export function createSandbox(kit: Kit) {
  adopt(kit, [sandboxStyles]);

  return {
    /** Stands above the form and above its result. */
    mark() {
      const {sample, explained} = wordsOf(kit.words.locale);
      return html`<p class="sample" part="sample" role="note"><strong>${sample}</strong> ${explained}</p>`;
    },

    /** In the place of the browser's. */
    async fetch(this: void, url: string, init?: RequestInit): Promise<Response> {
      await new Promise((resolve) => setTimeout(resolve, pause));
      init?.signal?.throwIfAborted();
      const {status, body} = reply(new URL(url), init, wordsOf(kit.words.locale).consent);
      return new Response(JSON.stringify(body), {status});
    },
  };
}

export type Sandbox = ReturnType<typeof createSandbox>;
export type SandboxModule = {readonly createSandbox: typeof createSandbox};
