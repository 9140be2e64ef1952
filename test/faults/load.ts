/** Creates leads over many connections, and checks afterwards that none is missing. */
import {execFileSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {rmSync, statfsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after} from 'node:test';
import {Pool} from 'undici';
import {basic} from '../support/http.ts';
import type {Owner} from '../support/opened.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {serviceSettings, startService, type RunningService} from '../support/service-process.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {acme, listedOrigin} from '../support/test-server.ts';
import {until as wait} from '../support/until.ts';
import type {Recorder} from './recorded.ts';

/** Like `until`, with a longer limit, because recovering from faults may take minutes. */
export const until = (condition: () => boolean | Promise<boolean>) => wait(condition, undefined, 500_000);

/**
 * Starts the production server as a process, which ends with the test that started it.
 * @param store `DATABASE_PATH` or `DATABASE_URL`
 * @param command what runs the server, such as a tracer with its arguments
 * @param code the folder of another version of the server
 */
export async function startOver(
  folder: string,
  store: Record<string, string>,
  command: readonly string[] = [],
  code?: string,
): Promise<RunningService> {
  const service = await startService({...serviceSettings(folder), ...store}, folder, command, code);
  after(() => service.end('SIGKILL'));
  return service;
}

export const stopped = {code: 0, signal: null};

/** A folder on a small disk of its own, which is there until the owner ends. */
export function smallDisk(owner: Owner): string {
  const folder = makeTemporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder.path]);
  owner.after(() => {
    execFileSync('umount', ['-l', folder.path]);
    folder.remove();
  });
  return folder.path;
}

/** Fills the disk, but for some bytes. Returns what makes the room again. */
export function fillDisk(disk: string, room = 0): () => void {
  const ballast = join(disk, `ballast-${randomUUID()}`);
  const {bavail, bsize} = statfsSync(disk);
  try {
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - room));
  } catch (error) {
    // Leads that arrive meanwhile use some of the room, but the disk is full.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return () => rmSync(ballast);
}

export type Load = {
  /** The ids of the leads that got a 201. */
  acknowledged: string[];
  /** The status of every response, in order. A broken connection is 0. */
  statuses: number[];
  /** Milliseconds until each of them. */
  times: number[];
  /** Stops sending and waits for the responses. */
  stop(): Promise<void>;
};

export type NewLead = {path: string; headers: Record<string, string>; body: string};

const json = {'content-type': 'application/json'};
const callersBody = JSON.stringify(prequalificationBody);
const pagesBody = JSON.stringify({lead: without(prequalificationBody, 'cid')});

export const fromCaller = (): NewLead => ({
  path: '/json/leads',
  headers: {...basic(acme), ...json},
  body: callersBody,
});

/** Each request has a new idempotency key, which the API of the form requires. */
export const fromPage = (): NewLead => ({
  path: '/embed/v1/leads?partner=acme',
  headers: {origin: listedOrigin, 'idempotency-key': randomUUID(), ...json},
  body: pagesBody,
});

/**
 * Creates leads over many connections until it is stopped, or its test ends.
 * @param perSecond how many leads each connection sends in a second, at most
 * @param recorder notes what was sent and answered
 */
export function createLeads(
  url: string,
  connections = 20,
  newLead: () => NewLead = fromCaller,
  perSecond = Infinity,
  recorder?: Pick<Recorder, 'submission'>,
): Load {
  const pool = new Pool(url, {connections});
  const acknowledged: string[] = [];
  const statuses: number[] = [];
  const times: number[] = [];
  let sending = true;

  function note(status: number, began: number) {
    statuses.push(status);
    times.push(performance.now() - began);
  }
  async function sendOne() {
    const began = performance.now();
    try {
      const lead = newLead();
      const answered = recorder?.submission(lead);
      const response = await pool.request({method: 'POST', ...lead});
      // An error of a load balancer is no JSON.
      const text = await response.body.text();
      note(response.statusCode, began);
      if (response.statusCode !== 201) return;
      const body = JSON.parse(text) as {id?: string};
      acknowledged.push(body.id!);
      answered?.(body);
    } catch {
      note(0, began);
    }
  }

  const senders = Array.from({length: connections}, async () => {
    const began = performance.now();
    for (let count = 1; sending; count += 1) {
      await sendOne();
      const early = began + (count / perSecond) * 1_000 - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      // If the server is down, requests fail at once. The pause lets other work run.
      if (statuses.at(-1) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  async function stop() {
    sending = false;
    await Promise.all(senders);
    await pool.destroy();
  }
  after(stop);
  return {acknowledged, statuses, times, stop};
}

/** The ids that the server does not know. */
export async function missing(url: string, ids: readonly string[]): Promise<string[]> {
  const pool = new Pool(url, {connections: 10});
  const lost: string[] = [];
  const queue = [...ids];
  const readers = Array.from({length: 10}, async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const {statusCode, body} = await pool.request({
        method: 'GET',
        path: `/json/leads/${id}`,
        headers: basic(acme),
      });
      await body.dump();
      if (statusCode !== 200) lost.push(id);
    }
  });
  await Promise.all(readers);
  await pool.close();
  return lost;
}
