/** Runs the command `lead-prequal` as this process. */
import {Writable} from 'node:stream';
import {isatty} from 'node:tty';
import {createRun} from './output.ts';
import {run} from './program.ts';

const {argv, stdout, stderr} = process;
const words = argv.slice(2);
const input = isatty(0) ? {ask} : {readLine};
const current = createRun({stdout, stderr, onInterrupt, ...input});
// A reader such as `head` closes the pipe when it has enough, and then a command ends with the status that it has until then.
// What runs as a service must go on when nothing reads its log any more, and so must a change when nothing reads its messages.
stderr.on('error', () => undefined);
if (words[0] !== 'serve' && words[0] !== 'admin') {
  stdout.once('error', ({code, message}: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(current.status);
    stderr.write(`The result cannot be written: ${message}\n`);
    process.exit(1);
  });
}
// If a driver never answers, nothing keeps the process alive, and it ends with this status. It is not set before, because the
// help would end with it, too.
process.once('beforeExit', () => (process.exitCode ??= 1));
process.exitCode = await run(words, current);

/**
 * To standard error, because standard output may be a file. At the end of the input, and at Ctrl+C, there is no answer. On a
 * terminal, Node itself shows what is typed, so a secret is hidden by an output that shows nothing.
 */
async function ask(question: string, isSecret = false): Promise<string | undefined> {
  const {createInterface} = await import('node:readline/promises');
  const nowhere = new Writable({write: (_text, _encoding, done) => done()});
  const lines = createInterface({
    input: process.stdin,
    ...(isSecret ? {output: nowhere, terminal: true} : {output: stderr}),
  });
  if (isSecret) stderr.write(question);
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(isSecret ? '' : question), ended]);
  } finally {
    lines.close();
    if (isSecret) stderr.write('\n');
  }
}

async function readLine(): Promise<string | undefined> {
  const {createInterface} = await import('node:readline/promises');
  for await (const line of createInterface({input: process.stdin})) return line;
  return undefined;
}

/** Only for the first Ctrl+C. The second one ends the command at once. */
function onInterrupt(stop: () => void) {
  process.once('SIGINT', stop);
  return () => void process.off('SIGINT', stop);
}
