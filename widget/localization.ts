/** What the form speaks: the words of the nearest `lang`, with the page's own in their place. */
import type {LitElement, ReactiveController} from 'lit';
import {loadPinned} from './loading/later-files.ts';
import {laterFiles} from './loading/pins.ts';
import {formEn} from '../form/words/form-en.ts';
import {merge, type SomeWords, type Words} from '../form/words/words.ts';

/** The words before the answer, needed for the first render, and those from the first touch on. */
export type WordsPart = 'form' | 'answer';

/** Words, or what fetches them, a part at a time or all at once. What a language leaves out stays English. */
export type Language = SomeWords | ((part: WordsPart) => SomeWords | Promise<SomeWords>);

const pinned = async (name: keyof typeof laterFiles) =>
  ((await loadPinned(laterFiles[name])) as {words: SomeWords}).words;

const english = (part: WordsPart) => (part === 'form' ? formEn : pinned('answer-en'));
const spanish = (part: WordsPart) => pinned(`${part}-es`);

/** By the tag that stands in `lang`, in lower case: the whole of it, or its first part. */
export const languages: Record<string, Language> = {en: english, es: spanish};

async function wordsOf(language: Language, part: WordsPart): Promise<SomeWords> {
  const words = await (typeof language === 'function' ? language(part) : language);
  return language === english || language === spanish ? words : merge((await english(part)) as Words, words);
}

export class Speech implements ReactiveController {
  /** As they are now; the answer's are among them once they were asked for. */
  words = formEn as Words;
  /** Settles when the words for the first render are there, or are not to be had. */
  ready: Promise<unknown> | undefined;
  /** English on a page that speaks something else. */
  foreign = false;

  readonly #host: LitElement;
  readonly #onChange: () => void;
  readonly #observer = new MutationObserver(() => this.hostConnected());
  readonly #parts: WordsPart[] = ['form'];
  /** In lower case; empty where the page does not say. */
  #lang = '';
  #spoken: Language = english;
  #language = formEn as Words;
  #strings: SomeWords | undefined;

  constructor(host: LitElement, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
    host.addController(this);
  }

  /** Only the elements around the form are watched, through every shadow root: a page may be large. */
  hostConnected() {
    this.#observer.disconnect();
    let lang: string | null = null;
    for (let node: Node | null = this.#host; node; node = nodeAround(node)) {
      this.#observer.observe(node, {attributeFilter: ['lang']});
      if (property(node, 'nodeType') === 1) lang ??= Element.prototype.getAttribute.call(node, 'lang');
    }
    this.#lang = lang?.toLowerCase() ?? '';
    this.ready = this.#load().catch(() => {});
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
  answer() {
    this.#parts[1] = 'answer';
    return this.#load();
  }

  async #load() {
    const lang = this.#lang;
    const [first = ''] = lang.split('-');
    const language = languages[lang] ?? languages[first] ?? english;
    const parts = await Promise.all(
      this.#parts.map((part) => wordsOf(language, part).catch(() => english(part))),
    );
    // Meanwhile the page may have changed its mind.
    if (lang !== this.#lang) return;
    const spoken = parts[0] === formEn ? english : language;
    const foreign = spoken === english && first !== 'en' && first !== '';
    const changed = spoken !== this.#spoken || foreign !== this.foreign;
    this.#spoken = spoken;
    this.foreign = foreign;
    this.#language = parts.reduce(merge) as Words;
    this.strings = this.#strings;
    if (changed) this.#onChange();
  }
}

/** Read from the prototype: on a `<form>` around this one, a field named `parentNode` replaces the property. */
const property = <Name extends 'nodeType' | 'parentNode'>(node: Node, name: Name) =>
  Reflect.get(Node.prototype, name, node) as Node[Name];

/** The parent, or the element that a shadow tree belongs to. */
const nodeAround = (node: Node): Node | null =>
  property(node, 'parentNode') ?? (property(node, 'nodeType') === 11 ? (node as ShadowRoot).host : null);
