/** What the form speaks: the words of the nearest `lang`, with the page's own in their place. */
import type {ReactiveController, ReactiveControllerHost} from 'lit';
import {loadPinned} from './later-files.ts';
import {laterFiles} from './pins.ts';
import {formEn} from './words/form-en.ts';
import {merge, type SomeWords, type Words} from './words/words.ts';

/** The words before the answer, needed for the first render, and those from the first touch on. */
export type WordsPart = 'form' | 'answer';

/** Words, or what fetches them, a part at a time or all at once. What a language leaves out stays English. */
export type Language = SomeWords | ((part: WordsPart) => SomeWords | Promise<SomeWords>);

const pinned = async (name: keyof typeof laterFiles) =>
  ((await loadPinned(laterFiles[name])) as {words: SomeWords}).words;

const english = (part: WordsPart) => (part === 'form' ? formEn : pinned('answer-en'));
const spanish = (part: WordsPart) => pinned(`${part}-es`);

/** By the tag that stands in `lang`: `es` serves `es-MX`, too. */
export const languages: Record<string, Language> = {en: english, es: spanish};

async function wordsOf(tag: string, part: WordsPart): Promise<SomeWords> {
  const language = languages[tag] ?? english;
  const words = typeof language === 'function' ? language(part) : language;
  if (language === english || language === spanish) return words;
  return merge({...(await english(part)), locale: tag} as Words, await words);
}

/** The longest tag that the page's one begins with, as RFC 4647 looks languages up. */
const lookUp = (lang: string) =>
  Object.keys(languages)
    .filter((tag) => `${lang}-`.toLowerCase().startsWith(`${tag}-`.toLowerCase()))
    .sort((a, b) => b.length - a.length)[0];

export class Speech implements ReactiveController {
  /** As they are now; the answer's are among them once they were asked for. */
  words = formEn as Words;
  /** Settles when the words for the first render are there, or are not to be had. */
  ready: Promise<unknown> = Promise.resolve();
  /** Of the page around the form; empty where it does not say. */
  pageLang = '';
  /** English, where the page speaks something else or does not say what. */
  foreign = false;

  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #onChange: () => void;
  readonly #observer = new MutationObserver(() => this.#follow());
  readonly #parts: WordsPart[] = ['form'];
  readonly #fetched = new Map<string, Promise<SomeWords>>();
  #form: SomeWords | undefined = formEn;
  #language = formEn as Words;
  #strings: SomeWords | undefined;

  constructor(host: ReactiveControllerHost & HTMLElement, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
    host.addController(this);
  }

  hostConnected() {
    this.#follow();
  }

  hostDisconnected() {
    this.#observer.disconnect();
  }

  /** The page's own words, in any language. */
  set strings(strings: SomeWords | undefined) {
    this.#strings = strings;
    this.words = merge(this.#language, strings);
  }

  /** Gets the words of the answer as well, from now on in every language. */
  answer(): Promise<void> {
    if (!this.#parts[1]) this.#parts.push('answer');
    return this.#load();
  }

  /** Only the elements around the form are watched, through every shadow root: a page may be large. */
  #follow() {
    this.#observer.disconnect();
    let lang: string | null | undefined;
    for (
      let node: Node | null = this.#host;
      node;
      node = node.parentNode ?? (node as ShadowRoot).host ?? null
    ) {
      this.#observer.observe(node, {attributeFilter: ['lang']});
      lang ??= (node as Element).getAttribute?.('lang');
    }
    this.pageLang = lang ?? '';
    this.ready = this.#load().catch(() => {});
  }

  async #load() {
    const lang = this.pageLang;
    const tag = lookUp(lang);
    const parts = await Promise.all(this.#parts.map((part) => this.#fetch(tag ?? 'en', part)));
    // Meanwhile the page may have changed its mind.
    if (lang !== this.pageLang) return;
    const [form] = parts;
    const changed = form !== this.#form;
    this.#form = form;
    this.#language = Object.assign({}, ...parts) as Words;
    this.strings = this.#strings;
    this.foreign = form === formEn && tag !== 'en';
    if (changed) this.#onChange();
  }

  /** Once; a failure is forgotten, so that the next call tries again, and covered by English. */
  #fetch(tag: string, part: WordsPart): Promise<SomeWords> {
    const name = `${tag} ${part}`;
    const fetched =
      this.#fetched.get(name) ??
      wordsOf(tag, part).catch((error: unknown) => {
        this.#fetched.delete(name);
        if (tag === 'en') throw error;
        return this.#fetch('en', part);
      });
    this.#fetched.set(name, fetched);
    return fetched;
  }
}
