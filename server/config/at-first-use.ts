import {createRequire} from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads a package at its first use, at once. For packages that take long to load and that most commands do not need:
 * `import()` would make every function asynchronous that may need one.
 */
export const atFirstUse =
  <Package>(name: string) =>
  () =>
    require(name) as Package;
