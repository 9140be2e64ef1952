/** The words of a sample, which no page can replace. */
import {sandbox as english} from '../../form/words/en.ts';
import {sandboxes} from '../../form/words/languages.ts';
import type {SandboxWords} from '../../form/words/words.ts';

const byTag: Readonly<Record<string, SandboxWords>> = sandboxes;

/** @param locale such as `es-US` */
export const wordsOf = (locale: string) => byTag[locale] ?? byTag[locale.split('-')[0] ?? ''] ?? english;
