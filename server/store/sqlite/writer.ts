/**
 * The thread that writes to the SQLite file, so that an fsync does not block the event loop of the server. The thread
 * receives batches, commits each batch once, and sends back the outcome of each write.
 */
import {parentPort, workerData} from 'node:worker_threads';
import {openCommits, type Write} from './commits.ts';

if (!parentPort) throw new Error('The writer of the database runs as a thread');
const port = parentPort;
const {before, commit, close} = openCommits((workerData as {path: string}).path);
port.on('message', (batch: Write[] | 'close') => {
  if (batch === 'close') {
    close();
    port.close();
  } else port.postMessage(commit(batch));
});
port.postMessage(before);
