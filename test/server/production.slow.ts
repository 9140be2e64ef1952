/** The server as `npm ci --omit=dev` leaves it: without development packages, without a build, in another folder. */
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, readFileSync, symlinkSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {createInterface} from 'node:readline';
import {suite, test} from 'node:test';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {readyPort, serviceSettings} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';

const root = join(import.meta.dirname, '../..');

/** The files of the project that the server may need, and links to those packages that are not for development. */
function install(folder: string) {
  for (const name of ['package.json', 'server', 'calculator', 'contract', 'form', 'releases']) {
    cpSync(join(root, name), join(folder, name), {recursive: true});
  }
  const {packages} = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, {dev?: true; devOptional?: true}>;
  };
  const topLevel = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/;
  for (const [path, {dev, devOptional}] of Object.entries(packages)) {
    if (!topLevel.test(path) || dev || devOptional) continue;
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    symlinkSync(join(root, path), join(folder, path));
  }
}

suite('a server without development packages', () => {
  test('starts, takes a lead and serves the released form', async (t) => {
    const folder = temporaryFolder(t);
    install(folder);
    const child = spawn(process.execPath, [join(folder, 'server/lead-prequal.cjs'), 'serve'], {
      cwd: folder,
      env: {
        ...serviceSettings(folder),
        PORT: '0',
        // A package looks for others where its link is, not among all those of the project.
        NODE_OPTIONS: '--preserve-symlinks',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({input: child.stderr}).on('line', (line) => lines.push(line));
    const fetchPath = fetchFrom(`http://127.0.0.1:${await readyPort(child, lines)}`);

    await readJson(await fetchPath('/json/leads', postJson(prequalificationBody, basic(acme))), 201);
    for (const path of ['/embed/1.0.0/lead-prequal-form.js', '/embed/v1/lead-prequal-form.js', '/docs']) {
      const response = await fetchPath(path);
      assert.equal(response.status, 200, path);
    }
    // Only the snippet to paste, if a release has the files for it. Nothing failed.
    assert.match(lines.join('\n').trim(), /^(To put the form of acme on a page[^]*)?$/);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
