/** What is fetched at the first touch, side by side: answer file, its words, and the partner's configuration. */
import {paths} from '../../contract/api.ts';
import type {AnswerPart, Kit, Place} from '../submission/types.ts';
import {loadAnswerModule} from './later-files.ts';

export class Delivery {
  /** Once it has arrived. */
  part: AnswerPart | undefined;

  readonly #kit: Kit;
  readonly #loadWords: () => Promise<void>;
  #loading: Promise<AnswerPart> | undefined;
  #url = '';

  constructor(kit: Kit, loadWords: () => Promise<void>) {
    this.#kit = kit;
    this.#loadWords = loadWords;
  }

  /** Once for a place; a failure is forgotten, so that the next call tries again. */
  load(place: Place): Promise<AnswerPart> {
    const url = `${place.endpoint}${paths.embedConfig}?partner=${encodeURIComponent(place.partner)}`;
    if (url !== this.#url) this.#loading = undefined;
    this.#url = url;
    this.#loading ??= this.#load(url, place).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(url: string, place: Place) {
    // An async function, for the page may have put something else in the place of `fetch`.
    const fetchConfig = async () => place.fetch(url);
    const reply = fetchConfig();
    // Looked at below, by a file that may itself fail to arrive.
    reply.catch(() => {});
    const [{createAnswer}] = await Promise.all([loadAnswerModule(), this.#loadWords()]);
    return (this.part = await createAnswer(this.#kit, place, fetchConfig, reply));
  }
}
