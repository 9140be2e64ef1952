/** The later file of all further languages: what they say on the first screen, and where their other words are. */
export {firstScreens} from '../../form/words/languages.ts';
export {wordFiles} from './word-pins.ts';
