/**
 * The later file `languages`: the first-screen words of all languages besides English, and the pins of the files with
 * their other words.
 */
export {firstScreens} from '../../form/words/languages.ts';
export {wordFiles} from './word-pins.ts';
