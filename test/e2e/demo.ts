/** Starts the demo as `npm start` does, on free ports and with its leads and secrets in a folder of its own. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {after, before} from 'node:test';
import type {Browser} from 'playwright-core';
import {launchChromium} from '../support/launch-chromium.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {dataKey} from '../support/test-server.ts';

export type Demo = {
  /** The partner's page. */
  page: string;
  /** The same page with the box that lists the form's events. */
  events: string;
  /** The partner's apply page, with the form alone. */
  apply: string;
  service: string;
  /** The line that the demo prints for the terminal. */
  curl: string;
  databasePath: string;
  secrets: {user: string; password: string; dataKey: string};
  close(): Promise<void>;
};

/** @param settings in place of those of `npm start` */
export async function startDemo(settings: Record<string, string> = {}): Promise<Demo> {
  const folder = makeTemporaryFolder();
  const databasePath = join(folder.path, 'leads.sqlite');
  const child = spawn(process.execPath, [resolve('demo/start.ts')], {
    cwd: folder.path,
    env: {
      ...process.env,
      PORT: '0',
      DEMO_PORT: '0',
      ADMIN_PORT: '0',
      DATABASE_PATH: databasePath,
      DATA_KEY: dataKey,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line.trim());
    if (line.includes('Stop with')) break;
  }
  const behind = (start: string) =>
    lines
      .find((line) => line.startsWith(start))!
      .slice(start.length)
      .trim();
  return {
    page: behind("A partner's page"),
    events: behind('Its events'),
    apply: behind('The form alone'),
    service: behind('The lead service'),
    curl: `curl ${behind('curl')}`,
    databasePath,
    secrets: JSON.parse(readFileSync(join(folder.path, 'data/demo.json'), 'utf8')) as Demo['secrets'],
    async close() {
      child.kill('SIGINT');
      await once(child, 'exit');
      folder.remove();
    },
  };
}

/** A demo and a browser for all tests of a file. */
export function useDemo() {
  const run = {} as {demo: Demo; browser: Browser};
  before(async () => {
    run.demo = await startDemo();
    run.browser = await launchChromium();
  });
  after(async () => {
    await run.browser.close();
    await run.demo.close();
  });
  return run;
}
