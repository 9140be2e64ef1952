/**
 * The files of the form that are loaded after the first one, besides those of languages (form/words/languages.ts). In the npm
 * package and in tests, these imports stay as they are. For the form that pages embed, the build makes a file of each module, and
 * replaces its import by one that checks the file's hash (build/later-files.ts). So the hash of the first file pins all of them.
 */
export const laterFiles = {
  /** What the form needs from the first touch on, with its English words. */
  rest: () => import('../rest.ts'),
  sandbox: () => import('../sandbox/sandbox.ts'),
  debug: () => import('../debug/debug.ts'),
};

/** The file `rest`, once it has arrived. */
export type Rest = Awaited<ReturnType<typeof laterFiles.rest>>;
