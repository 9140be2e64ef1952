/**
 * The image, without a container: what deploy/Dockerfile says is done in a scratch root, with a read-only file system,
 * the user of the image and nothing but its own environment. What a container would add is not tried: the pull of the
 * base image, whose Node is this one, and a network of its own.
 */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {before, suite, test, type TestContext} from 'node:test';
import {writeConfig} from '../support/config-file.ts';
import {freePort} from '../support/free-port.ts';
import {basic, fetchFrom, postJson, readJson} from '../support/http.ts';
import {suiteOwner} from '../support/opened.ts';
import {prequalificationBody} from '../support/sample-leads.ts';
import {readyPort} from '../support/service-process.ts';
import {makeTemporaryFolder, temporaryFolder} from '../support/temporary-folder.ts';
import {acme} from '../support/test-server.ts';
import {buildImage, type Image} from './dockerfile.ts';
import {noScratchRoot, processId, registry, runIn, spawnIn} from './scratch-root.ts';

const repository = join(import.meta.dirname, '../..');
const skip = noScratchRoot();

/** Where the image keeps what is mounted from outside: settings and key. */
const settingsFolder = '/etc/lead-prequal';

suite('the image', {skip}, () => {
  const folder = makeTemporaryFolder();
  suiteOwner().after(() => folder.remove());
  let image: Image;
  before(async () => {
    image = await buildImage(repository, folder.path, registry());
  });

  /** A container of the image, with new folders mounted, as `docker run --read-only` makes it. */
  function contain(t: TestContext, environment: Record<string, string>, isConfigured = true) {
    const own = temporaryFolder(t);
    // Docker fills a new volume with what the image has in its place, the owner included.
    const mounts = [settingsFolder, ...image.volumes].map((path, index) => {
      const volume = join(own, `volume-${index}`);
      execFileSync('cp', ['-a', join(image.root, path), volume]);
      return [path, volume] as const;
    });
    const [[, settings]] = mounts as [(typeof mounts)[0]];
    if (isConfigured) {
      writeConfig(settings);
      writeFileSync(
        join(settings, 'lead-prequal.env'),
        'PUBLIC_URL=https://leads.example.com\nTRUST_PROXY=1\n',
      );
      for (const file of readdirSync(settings)) chownSync(join(settings, file), 1000, 1000);
    }
    execFileSync('chmod', ['755', own]);
    const surroundings = {
      ...{folder: image.folder, user: image.user, readOnly: true, mounts: Object.fromEntries(mounts)},
      environment: {...image.environment, ...environment},
    };
    return {
      /** The folder on this machine that is mounted at a path of the image. */
      mounted: (path: string) => Object.fromEntries(mounts)[path]!,
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
    const container = contain(t, {PORT: String(await freePort())});
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

  test('the first start makes the data key beside the settings, apart from the data', async (t) => {
    const container = contain(t, {PORT: '0'});
    await (await container.start()).stop();
    const key = statSync(join(container.mounted(settingsFolder), 'lead-prequal.key'));
    assert.deepEqual([key.mode & 0o777, key.uid], [0o600, 1000]);
    const data = readdirSync(container.mounted('/app/data'));
    assert.deepEqual([data.includes('leads.sqlite'), data.includes('lead-prequal.key')], [true, false]);
  });

  test('its health check succeeds while the server is ready, and fails once it has stopped', async (t) => {
    const container = contain(t, {PORT: String(await freePort())});
    const server = await container.start();
    assert.equal((await container.run(image.health)).code, 0);
    await server.stop();
    assert.equal((await container.run(image.health)).code, 1);
  });

  test('the server ends within a second of SIGTERM and its drain, as the first process', async (t) => {
    const container = contain(t, {PORT: '0', DRAIN_SECONDS: '0.2'});
    const server = await container.start();
    // The connection stays open after this.
    await (await server.fetchPath('/readyz')).text();
    assert.deepEqual(await server.stop(), [0, null]);
    const {msg, ms} = JSON.parse(server.lines.at(-1)!) as {msg: string; ms: number};
    assert.equal(msg, 'the server has stopped');
    assert.ok(ms < 1_000, `${ms} ms`);
  });

  test("the operator's command works in it", async (t) => {
    const container = contain(t, {PORT: '0'});
    await (await container.start()).stop();
    assert.deepEqual((await container.run(['lead-prequal', 'leads', 'count'])).output.trim(), '0');
    const check = await container.run(['lead-prequal', 'config', 'check']);
    assert.match(check.output, /The server would start/);
  });

  test('without settings, the server says how to make them, and does not start', async (t) => {
    const {code, errors} = await contain(t, {}, false).run([...image.entrypoint, ...image.command]);
    assert.equal(code, 1);
    assert.match(
      errors,
      /There is no \/etc\/lead-prequal\/lead-prequal\.json: "lead-prequal init" writes it/,
    );
  });

  test('without files, the settings of a platform are enough', async (t) => {
    const platform = {
      PUBLIC_URL: 'https://leads.example.com',
      CONFIG: readFileSync(writeConfig(temporaryFolder(t)), 'utf8'),
      DATA_KEY: '7'.repeat(64),
      PORT: '0',
    };
    const server = await contain(t, platform, false).start();
    assert.equal((await server.fetchPath('/readyz')).status, 200);
    await server.stop();
  });

  test('has code, packages of production and released forms, which belong to root', () => {
    const inImage = (path: string) => join(image.root, '/app', path);
    assert.equal(
      readdirSync(inImage('.')).toSorted().join(' '),
      '.npmrc build calculator contract data form node_modules package-lock.json package.json releases server',
    );
    assert.ok(existsSync(inImage('node_modules/express')) && !existsSync(inImage('node_modules/typescript')));
    for (const path of ['server/main.ts', 'node_modules', 'releases'])
      assert.equal(statSync(inImage(path)).uid, 0, path);
    assert.equal(image.folder, settingsFolder);
    for (const folder of [inImage('data'), join(image.root, settingsFolder)]) {
      const {mode, uid} = statSync(folder);
      assert.deepEqual({mode: mode & 0o777, uid}, {mode: 0o700, uid: 1000}, folder);
    }
  });

  test('has the Node that the tests run on', () => {
    const {devDependencies} = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const dockerfile = readFileSync(join(repository, 'deploy/Dockerfile'), 'utf8');
    assert.ok(dockerfile.includes(`FROM node:${devDependencies['node']}-slim AS base\n`));
  });
});
