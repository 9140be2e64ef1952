#!/usr/bin/env node
/**
 * Starts the `lead-prequal` command. The rest of the server is TypeScript, on which old versions of Node fail with a
 * stack trace that does not say what to do. So this file is plain JavaScript that Node 10 can run, and prints which
 * Node is needed.
 */
'use strict';

/**
 * Each of these signals kills a process that does not listen to it, and main.ts listens only after all code is loaded. Until
 * then, SIGTERM and SIGINT end the server with status 0, because nothing is open yet. SIGHUP asks for a reload of the
 * configuration, which is not read yet, so it is ignored: systemd takes a death by SIGHUP for a wanted end, and would start
 * no other server. These listeners are never removed, so that no moment is without one. They do nothing once main.ts
 * listens, too. The same holds for `admin`, the operators' pages, which read their configuration again by themselves, and
 * also end when the server that started them has ended ("disconnect").
 */
if (process.argv[2] === 'serve' || process.argv[2] === 'admin') {
  process.on('SIGHUP', () => undefined);
  const ends = process.argv[2] === 'serve' ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'disconnect'];
  for (const end of ends) process.on(end, () => process.listenerCount(end) === 1 && process.exit(0));
  // A listener for the end of the channel must not keep a process alive that has nothing to do.
  if (process.channel) process.channel.unref();
}

const {statSync} = require('fs');
const {enableCompileCache} = require('module');
const {constants, setPriority} = require('os');
const {join} = require('path');
const {engines} = require('../package.json');

/** Whether a version such as `[24, 16, 0]` is the other version or a later one. */
function isAtLeast(version, other) {
  const index = version.findIndex((part, at) => part !== other[at]);
  return index < 0 || version[index] > other[index];
}

// `engines.node` consists of "^24.16.0" (24.16.0 or later, but not 25) and ">=26.1.0". A test checks that form.
const alternatives = engines.node.split(' || ').map((text) => {
  const [, operator, version] = /^(\^|>=)(\d+\.\d+\.\d+)$/.exec(text);
  return {within: operator === '^', version, parts: version.split('.').map(Number)};
});
const own = process.versions.node.split('.').map(Number);
const fits = ({within, parts}) => isAtLeast(own, parts) && (!within || own[0] === parts[0]);

/**
 * V8 lets the garbage of a command that takes long grow to some 250 MB, although little of it is in use. With these
 * limits, in MB, an export of any size stays below 150 MB. They must be given to Node at its start, so the process starts
 * itself anew.
 */
const oldSpaces = {'leads export': 48};
const [, script, ...words] = process.argv;
/** A command must not take the processor from a server on the same machine. Some sandboxes forbid that, though. */
function letServerGoFirst() {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Then the command runs as any other program.
  }
}
// Servers stand still until `store copy` ends.
if (words[0] !== 'serve' && words[0] !== 'store') letServerGoFirst();

/**
 * Keeps the compiled code below the code itself, so that the next start takes less time. Only the owner of the code does
 * so: then nobody else can prepare a cache for them, as in Node's default, the folder for temporary files, and no file of
 * another user stands in the way of the next installation. If the folder cannot be written, there is no cache.
 */
function keepCompiledCode() {
  const isOwner = process.getuid && process.getuid() === statSync(__dirname).uid;
  if (enableCompileCache && isOwner)
    enableCompileCache(join(__dirname, '../node_modules/.cache/lead-prequal'));
}
const oldSpace = oldSpaces[words.slice(0, 2).join(' ')];

if (oldSpace && process.execve && process.execArgv.length === 0) {
  const limits = ['--max-semi-space-size=1', `--max-old-space-size=${oldSpace}`];
  process.execve(process.execPath, [process.execPath, ...limits, script, ...words], process.env);
} else if (alternatives.some(fits)) {
  keepCompiledCode();
  import('./cli/main.ts').catch((error) => {
    console.error(error);
    process.exit(1);
  });
} else {
  const wanted = alternatives.map(({within, version, parts}) =>
    within ? `Node ${parts[0]} from ${version} on` : `Node ${version} or newer`,
  );
  console.error(
    `lead-prequal needs ${wanted.join(', or ')}; this is Node ${process.versions.node} (docs/install.md#node).`,
  );
  process.exit(1);
}
