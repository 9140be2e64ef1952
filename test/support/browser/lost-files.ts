/** Later files that do not arrive, or only when a test lets them. After the test, all of them arrive again. */
import {languages as languageFiles} from '../../../form/words/languages.ts';
import {laterFiles} from '../../../widget/loading/later-files.ts';
import {restoreLater} from './browser-page.ts';

type Load = () => Promise<unknown>;
const files: Record<string, Load> = laterFiles;
const languages: Record<string, Load> = languageFiles;

function replace(name: keyof typeof laterFiles | keyof typeof languageFiles, change: (load: Load) => Load) {
  const table = name in laterFiles ? files : languages;
  const load = table[name]!;
  table[name] = change(load);
  const restore = () => void (table[name] = load);
  restoreLater(restore);
  return restore;
}

/** Makes loading a file fail. @returns a function that lets the next attempt succeed */
export const lose = (name: Parameters<typeof replace>[0]) =>
  replace(name, () => () => Promise.reject(new TypeError('Failed to fetch')));

/** Keeps a file on its way. @returns a function that lets it arrive */
export function hold(name: Parameters<typeof replace>[0]) {
  const {promise, resolve} = Promise.withResolvers<void>();
  const restore = replace(name, (load) => () => promise.then(load));
  restoreLater(resolve);
  return () => {
    restore();
    resolve();
  };
}
