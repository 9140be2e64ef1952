/** Runs the command `lead-prequal` as this process. */
import {createRun} from './output.ts';
import {run} from './program.ts';

const {argv, stdout, stderr} = process;
const words = argv.slice(2);
const current = createRun({stdout, stderr});
// A reader such as `head` closes the pipe when it has enough, and then a command ends with the status that it has until then. The server
// must go on when nothing reads its log any more.
if (words[0] !== 'serve') {
  stdout.once('error', ({code, message}: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(current.status);
    stderr.write(`The result cannot be written: ${message}\n`);
    process.exit(1);
  });
}
// If a driver never answers, nothing keeps the process alive, and it ends with this status.
process.exitCode = 1;
process.exitCode = await run(words, current);
