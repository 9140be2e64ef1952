/**
 * The files that are loaded later, by address and integrity. The build replaces this module by the built
 * files' hashed names and their hashes, so that the integrity of the first file pins them all.
 */
export const answerFile = {path: './answer/index.ts', integrity: ''};
