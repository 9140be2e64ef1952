/** The language of the form: the words of the nearest `lang`, in which the page may replace texts by its own. */
import {LitElement, type ReactiveController} from 'lit';
import {laterFiles} from './loading/later-files.ts';
import {firstScreen} from '../form/words/en.ts';
import {languages as languageFiles, type LanguageTag} from '../form/words/languages.ts';
import {merge, type SomeWords, type WordsSoFar} from '../form/words/words.ts';
import {Promise} from './page/builtins.ts';
import {inTime} from './page/in-time.ts';

/** `form`: the words for the first render. `answer`: the words that are loaded at the first touch. */
export type WordsPart = 'form' | 'answer';

/** The texts of a language, or a function that loads them, one part at a time or all at once. */
export type Language = SomeWords | ((part: WordsPart) => SomeWords | Promise<SomeWords>);

const english = async (part: WordsPart) =>
  part === 'form' ? firstScreen : (await laterFiles.rest()).afterTouch;

const fromFile = (tag: LanguageTag) => async (part: WordsPart) => {
  const words = await languageFiles[tag]();
  return part === 'form' ? words.firstScreen : words.afterTouch;
};

/** By the tag that a page has in `lang`, in lower case: the whole tag, or its first part. */
export const languages: Record<string, Language> = {
  en: english,
  ...Object.fromEntries((Object.keys(languageFiles) as LanguageTag[]).map((tag) => [tag, fromFile(tag)])),
};

/** They are reached by way of our own class, because pages have an `Element` or a `Node` of their own. */
const {prototype} = LitElement;

/** Milliseconds. The form waits no longer than this for words that are slow to arrive, and is in English then. */
const patience = 3_000;

/** The languages that lack no word. */
const complete = new Set(Object.values(languages));

/**
 * What a page's own language leaves out stays English. Its parts are put over the English ones when all are there,
 * because it may give a word in another part than English does.
 */
async function wordsOf(language: Language, parts: readonly WordsPart[]): Promise<SomeWords> {
  const read = (from: Language) =>
    Promise.all(parts.map(async (part) => (typeof from === 'function' ? from(part) : from)));
  const own = read(language);
  const [found, missing] = await Promise.all([
    // The English words come with the rest of the form, which has a limit of its own.
    language === english ? own : inTime(own, patience),
    complete.has(language) ? [] : read(english),
  ]);
  return [...missing, ...found].reduce<SomeWords>(merge, {});
}

export class Localization implements ReactiveController {
  /** The words in the language of the page. */
  words: WordsSoFar = firstScreen;
  /** Settles when the words for the first render have arrived, or did not arrive in time and English replaces them. */
  ready: Promise<void> | undefined;
  /** The form is in English, but the page is in another language. */
  foreign = false;

  readonly #host: LitElement;
  readonly #onChange: () => void;
  readonly #observer = new MutationObserver(() => this.hostConnected());
  readonly #parts: WordsPart[] = ['form'];
  /** The `lang` of the page as a tag in lower case, or empty. People also write `es_MX`, or spaces around it. */
  #lang = '';
  #shown: Language = english;
  /** Without the page's `strings`. */
  #ownWords = this.words;
  #strings: SomeWords | undefined;
  #newestLoad: Promise<void> | undefined;

  /** @param onChange is called when the form changes to another language after it was rendered */
  constructor(host: LitElement, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
    host.addController(this);
  }

  /**
   * Watches `lang` on the elements around the form, also outside of shadow roots that contain it. The rest of the page
   * is not watched, because it may be large.
   */
  hostConnected() {
    this.#observer.disconnect();
    let lang: string | null = null;
    for (let node: Node | null = this.#host; node; node = nodeAround(node)) {
      this.#observer.observe(node, {attributeFilter: ['lang']});
      if (property(node, 'nodeType') === 1) lang ??= prototype.getAttribute.call(node, 'lang');
    }
    this.#lang =
      lang
        ?.toLowerCase()
        .match(/[a-z\d]+/g)
        ?.join('-') ?? '';
    this.ready = inTime(this.#load(), patience).catch(() => {});
  }

  hostDisconnected() {
    this.#observer.disconnect();
  }

  /** Texts of the page, which replace those of every language. */
  set strings(strings: SomeWords | undefined) {
    this.#strings = strings;
    this.words = merge(this.#ownWords, strings);
  }

  /**
   * Loads the words that the first screen does not need, in this language and in every one that the page changes to.
   * May be called again: what has been loaded is not loaded twice, and what failed is tried again.
   *
   * @throws when neither the words of the page's language nor the English ones arrive
   */
  loadAfterTouch(): Promise<void> {
    this.#parts[1] = 'answer';
    return this.#load();
  }

  /**
   * If the page changes its language while words are loading, the newest load decides, and the older ones wait for it.
   */
  #load(): Promise<void> {
    const isNewest = () => load === this.#newestLoad;
    const load: Promise<void> = this.#read().then(
      (show) => (isNewest() ? show() : this.#newestLoad),
      (error: unknown) => {
        if (isNewest()) throw error;
        return this.#newestLoad;
      },
    );
    this.#newestLoad = load;
    return load;
  }

  /** @returns a function that shows what was loaded */
  async #read(): Promise<() => void> {
    const [first = ''] = this.#lang.split('-');
    let language = languages[this.#lang] ?? languages[first] ?? english;
    const read = () => wordsOf(language, this.#parts);
    // The form does not mix languages: if one of the parts does not arrive, all of it is in English.
    const words = await read().catch((error: unknown) => {
      if (language === english) throw error;
      language = english;
      return read();
    });
    return () => {
      const foreign = language === english && first !== 'en' && first !== '';
      const changed = language !== this.#shown || foreign !== this.foreign;
      this.#shown = language;
      this.foreign = foreign;
      this.#ownWords = words as WordsSoFar;
      this.strings = this.#strings;
      if (changed) this.#onChange();
    };
  }
}

/**
 * Reads a property from the prototypes that all elements have: on a `<form>` around this element, a field with the name
 * `parentNode` replaces the property of that name.
 */
const property = <Name extends 'nodeType' | 'parentNode'>(node: Node, name: Name) =>
  Reflect.get(prototype, name, node) as Node[Name];

/** The parent of a node, or the host element of a shadow root. */
const nodeAround = (node: Node): Node | null =>
  property(node, 'parentNode') ?? (property(node, 'nodeType') === 11 ? (node as ShadowRoot).host : null);
