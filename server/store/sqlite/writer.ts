/**
 * The thread that writes to the SQLite file, so that an fsync does not block the event loop of the server. The thread
 * receives batches, commits each batch once, and sends back the outcome of each write.
 */
import {parentPort, workerData} from 'node:worker_threads';
import {createEncryptor} from '../encryption.ts';
import {openCommits, type Write} from './commits.ts';

if (!parentPort) throw new Error('The writer of the database runs as a thread');
const port = parentPort;
const {path, words} = workerData as {path: string; words: [string, ...string[]]};
const commits = openCommits(path, createEncryptor(words));
port.on('message', (batch: Write[] | 'close') => {
  if (batch === 'close') {
    commits.close();
    port.close();
  } else port.postMessage(commits.commit(batch));
});
port.postMessage(commits.before);
