/**
 * The image, without a container: what deploy/Dockerfile says is done in a scratch root, with a read-only file system,
 * the user of the image and nothing but its own environment. What a container would add is not tried: the pull of the
 * base image, whose Node is this one, and a network of its own.
 */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {before, suite, test, type TestContext} from 'node:test';
import {freePort} from '../support/free-port.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {suiteOwner} from '../support/opened.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {readyPort} from '../support/service-process.ts';
import {makeTemporaryFolder, temporaryFolder} from '../support/temporary-folder.ts';
import {acme, listedOrigin} from '../support/test-server.ts';
import {buildImage, type Image} from './dockerfile.ts';
import {noScratchRoot, processId, registry, runIn, spawnIn} from './scratch-root.ts';

const repository = join(import.meta.dirname, '../..');
const skip = noScratchRoot();

const settings = {
  PUBLIC_URL: 'https://leads.example.com',
  CALLERS: JSON.stringify([acme]),
  EMBED_ORIGINS: listedOrigin,
  TOKEN_KEY: 'a-token-key-for-tests-that-is-long-enough',
  TRUST_PROXY: '1',
};

suite('the image', {skip}, () => {
  const folder = makeTemporaryFolder();
  suiteOwner().after(() => folder.remove());
  let image: Image;
  before(async () => {
    image = await buildImage(repository, folder.path, registry());
  });

  /** A container of the image, with a new volume, as `docker run --read-only` makes it. */
  function contain(t: TestContext, environment: Record<string, string>) {
    const own = temporaryFolder(t);
    // Docker fills a new volume with what the image has in its place, the owner included.
    const mounts = image.volumes.map((path, index) => {
      const volume = join(own, `volume-${index}`);
      execFileSync('cp', ['-a', join(image.root, path), volume]);
      return [path, volume] as const;
    });
    execFileSync('chmod', ['755', own]);
    const surroundings = {
      ...{folder: image.folder, user: image.user, readOnly: true, mounts: Object.fromEntries(mounts)},
      environment: {...image.environment, ...environment},
    };
    return {
      run: (command: readonly string[]) => runIn(image.root, command, surroundings),
      async start() {
        const child = spawnIn(image.root, [...image.entrypoint, ...image.command], surroundings);
        t.after(() => child.kill('SIGKILL'));
        const lines: string[] = [];
        for (const stream of [child.stdout!, child.stderr!])
          createInterface({input: stream}).on('line', (line) => lines.push(line));
        const [port, pid] = await Promise.all([readyPort(child, lines), processId(child)]);
        return {
          fetchPath: fetchFrom(`http://127.0.0.1:${port}`),
          lines,
          async stop() {
            const exited = once(child, 'exit');
            process.kill(pid, 'SIGTERM');
            return (await exited) as [number | null, NodeJS.Signals | null];
          },
        };
      },
    };
  }

  test('keeps a lead over a restart, on a read-only file system, without being root', async (t) => {
    const container = contain(t, {...settings, PORT: String(await freePort())});
    const server = await container.start();
    const {id} = await readJson<{id: string}>(
      await server.fetchPath('/json/leads', postJson(prequalificationBody, basic(acme))),
      201,
    );
    assert.equal((await server.fetchPath('/embed/v1/lead-prequal-form.js')).status, 200);
    assert.deepEqual(await server.stop(), [0, null]);

    const restarted = await container.start();
    await readJson(await restarted.fetchPath(`/json/leads/${id}`, {headers: basic(acme)}), 200);
    await restarted.stop();
  });

  test('its health check succeeds while the server is ready, and fails once it has stopped', async (t) => {
    const container = contain(t, {...settings, PORT: String(await freePort())});
    const server = await container.start();
    assert.equal((await container.run(image.health)).code, 0);
    await server.stop();
    assert.equal((await container.run(image.health)).code, 1);
  });

  test('the server ends within a second of SIGTERM and its drain, as the first process', async (t) => {
    const container = contain(t, {...settings, PORT: '0', DRAIN_SECONDS: '0.2'});
    const server = await container.start();
    // The connection stays open after this.
    await (await server.fetchPath('/readyz')).text();
    assert.deepEqual(await server.stop(), [0, null]);
    const {msg, ms} = JSON.parse(server.lines.at(-1)!) as {msg: string; ms: number};
    assert.equal(msg, 'the server has stopped');
    assert.ok(ms < 1_000, `${ms} ms`);
  });

  test("the operator's command works in it", async (t) => {
    const container = contain(t, {...settings, PORT: '0'});
    await (await container.start()).stop();
    assert.deepEqual((await container.run(['lead-prequal', 'leads', 'count'])).output.trim(), '0');
    const check = await container.run(['lead-prequal', 'config', 'check']);
    assert.match(check.output, /The server would start/);
  });

  test('the server names the settings that are missing, and does not start', async (t) => {
    const {code, errors} = await contain(t, {}).run([...image.entrypoint, ...image.command]);
    assert.equal(code, 1);
    for (const name of ['PUBLIC_URL', 'CALLERS', 'TOKEN_KEY', 'EMBED_ORIGINS'])
      assert.match(errors, new RegExp(`${name} is missing`));
  });

  test('has code, packages of production and released forms, which belong to root', () => {
    const inImage = (path: string) => join(image.root, image.folder, path);
    assert.deepEqual(readdirSync(inImage('.')).toSorted(), [
      ...[
        '.npmrc',
        'build',
        'calculator',
        'contract',
        'data',
        'form',
        'node_modules',
        'package-lock.json',
        'package.json',
      ],
      ...['releases', 'server'],
    ]);
    assert.ok(existsSync(inImage('node_modules/express')) && !existsSync(inImage('node_modules/typescript')));
    for (const path of ['server/main.ts', 'node_modules', 'releases'])
      assert.equal(statSync(inImage(path)).uid, 0, path);
    const {mode, uid} = statSync(inImage('data'));
    assert.deepEqual({mode: mode & 0o777, uid}, {mode: 0o700, uid: 1000});
  });

  test('has the Node that the tests run on', () => {
    const {devDependencies} = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const dockerfile = readFileSync(join(repository, 'deploy/Dockerfile'), 'utf8');
    assert.ok(dockerfile.includes(`FROM node:${devDependencies['node']}-slim AS base\n`));
  });
});
