/** How many threads a process has, counted in processes of their own, because the size of the pool cannot change later. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';

const module = new URL('../../../server/config/thread-pool.ts', import.meta.url).href;
const script = `
  import {lookup} from 'node:dns/promises';
  import {readdirSync, readFileSync} from 'node:fs';
  import {sizeThreadPool, threadsForDestinations} from '${module}';
  sizeThreadPool(new Map(process.argv.slice(1).map((url) => [url, url.startsWith('smtp') ? {type: 'email', smtpUrl: url} : {type: 'webhook', url}])));
  await lookup('localhost').catch(() => undefined);
  const names = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8'));
  const threads = names.filter((name) => name.startsWith('libuv-worker')).length;
  console.log(JSON.stringify({threads, share: threadsForDestinations()}));
`;

/** @param size the value of UV_THREADPOOL_SIZE that the operator has set */
function threadsWith(urls: readonly string[], size?: string): unknown {
  const env = size === undefined ? {} : {UV_THREADPOOL_SIZE: size};
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...urls], {env});
  return JSON.parse(printed.toString());
}

const crm = 'https://crm.example.com/leads';
const mail = 'smtp://Mail.example.com:587';
const many = Array.from({length: 50}, (_, index) => `https://crm-${index}.example.com/`);

const rows: [title: string, urls: string[], size: string | undefined, expected: object][] = [
  ['as many as usual without destinations', [], undefined, {threads: 4, share: 1}],
  ['four for each name, of which its look-up takes one', [crm, mail], undefined, {threads: 8, share: 2}],
  ['four for one name, however many use it', [crm, `${crm}?2`], undefined, {threads: 4, share: 1}],
  ['128 at most', many, undefined, {threads: 128, share: 32}],
  ['as many as the operator has set, if these are more', [crm, mail], '20', {threads: 20, share: 5}],
  ['more than the operator has set, if these are too few', [crm, mail], '2', {threads: 8, share: 2}],
];
for (const [title, urls, size, expected] of rows) {
  test(
    `the process has threads for the names of destinations: ${title}`,
    {skip: process.platform !== 'linux'},
    () => assert.deepEqual(threadsWith(urls, size), expected),
  );
}
