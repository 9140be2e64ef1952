#!/usr/bin/env node
/**
 * Starts the `lead-prequal` command. The rest of the server is TypeScript, which old versions of Node cannot read:
 * they fail with a stack trace that does not say what to do. This file is plain JavaScript that Node 10 can read,
 * and says in one sentence which Node is needed.
 */
'use strict';

const {engines} = require('../package.json');

/** Whether a version such as `[24, 16, 0]` is the other one or a later one. */
function reaches(version, other) {
  const place = version.findIndex((part, index) => part !== other[index]);
  return place < 0 || version[place] > other[place];
}

// `engines.node` is made of "^24.16.0" (that or later, within 24) and ">=26.1.0" (that or later); a test holds it.
const alternatives = engines.node.split(' || ').map((text) => {
  const [, operator, version] = /^(\^|>=)(\d+\.\d+\.\d+)$/.exec(text);
  return {within: operator === '^', version, parts: version.split('.').map(Number)};
});
const own = process.versions.node.split('.').map(Number);
const fits = ({within, parts}) => reaches(own, parts) && (!within || own[0] === parts[0]);

if (alternatives.some(fits)) {
  import('./cli/program.ts').catch((error) => {
    console.error(error);
    process.exit(1);
  });
} else {
  const wanted = alternatives.map(({within, version, parts}) =>
    within ? `Node ${parts[0]} from ${version} on` : `Node ${version} or newer`,
  );
  console.error(`lead-prequal needs ${wanted.join(', or ')}; this is Node ${process.versions.node}.`);
  process.exit(1);
}
