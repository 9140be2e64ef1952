import {Promise} from './builtins.ts';

/** Resolves in a task of its own, so that the browser can handle input and paint before it. */
export const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));
