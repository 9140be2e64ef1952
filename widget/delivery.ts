/** What is fetched at the first touch (answer file, its words, configuration), and sending through it. */
import {paths, type EmbedConfig} from '../contract/api.ts';
import type {About, AnswerPart, Kit, Lead, Outcome, Place} from './answer/types.ts';
import {loadAnswerModule} from './later-files.ts';

export type Loaded = {readonly part: AnswerPart; readonly config: EmbedConfig | undefined};

export class Delivery {
  /** What has arrived so far. */
  loaded: Loaded | undefined;

  readonly #kit: Kit;
  readonly #loadWords: () => Promise<void>;
  readonly #onLoad: (loaded: Loaded) => void;
  #loading: Promise<Loaded> | undefined;
  #place = '';

  constructor(kit: Kit, loadWords: () => Promise<void>, onLoad: (loaded: Loaded) => void) {
    this.#kit = kit;
    this.#loadWords = loadWords;
    this.#onLoad = onLoad;
  }

  /** Once for a place; a failure is forgotten, so that the next call tries again. */
  load({endpoint, partner}: Place): Promise<Loaded> {
    const place = `${endpoint}${paths.embedConfig}?partner=${encodeURIComponent(partner)}`;
    if (place !== this.#place) this.#loading = undefined;
    this.#place = place;
    this.#loading ??= this.#load(place, {endpoint, partner}).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** @returns `undefined` when the answer file or its words did not arrive */
  async send(place: Place, lead: Lead, about: About): Promise<Outcome | undefined> {
    const loaded = await this.load(place).catch(() => undefined);
    return loaded?.part.send(lead, place, about);
  }

  async #load(url: string, place: Place) {
    // Of an async function, for the page may have put something else in the place of `fetch`.
    const reply = (async () => fetch(url, {credentials: 'omit', redirect: 'error'}))();
    // Looked at below, by a file that may itself fail to arrive.
    reply.catch(() => {});
    const [{createAnswer}] = await Promise.all([loadAnswerModule(), this.#loadWords()]);
    const part = createAnswer(this.#kit);
    this.loaded = {part, config: await part.readConfig(reply, place)};
    this.#onLoad(this.loaded);
    return this.loaded;
  }
}
