/** A thread that creates leads, so that the reads that are measured meanwhile do not wait for the load. */
import {parentPort, workerData} from 'node:worker_threads';
import {createLeads} from './load.ts';

parentPort!.postMessage(await createLeads(workerData as string, 50));
