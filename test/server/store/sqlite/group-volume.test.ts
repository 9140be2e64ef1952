/** An SQLite file on a volume that belongs to a group, such as a volume with an fsGroup: the server may write, and owns nothing. */
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test, type TestContext} from 'node:test';
import {openSqliteStore} from '../../../../server/store/sqlite/store.ts';
import {basic, postJson} from '../../../support/http.ts';
import {openFor, openWhile} from '../../../support/opened.ts';
import {program} from '../../../support/operator.ts';
import {prequalificationBody} from '../../../support/sample-leads.ts';
import {serviceSettings, startService} from '../../../support/service-process.ts';
import {temporaryFolder} from '../../../support/temporary-folder.ts';
import {acme, testEncryptor} from '../../../support/test-server.ts';

const [user, group] = [42_042, 43_043];
const asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, `--groups=${group}`];
const isNotRoot = process.getuid?.() !== 0 && 'only root may give files to other users';

suite('an SQLite file that belongs to another user', {skip: isNotRoot}, () => {
  async function volume(t: TestContext, mode: number) {
    const folder = temporaryFolder(t);
    chmodSync(folder, 0o755);
    const data = join(folder, 'data');
    const path = join(data, 'leads.sqlite');
    mkdirSync(data);
    await openWhile(openSqliteStore(path, testEncryptor), () => Promise.resolve());
    chownSync(data, 0, group);
    chmodSync(data, 0o2770);
    chownSync(path, 0, group);
    chmodSync(path, mode);
    const settings = {...serviceSettings(folder), DATABASE_PATH: path};
    const run = (...words: string[]) => {
      const [first = '', ...rest] = [...asUser, process.execPath, program, ...words];
      const options = {cwd: data, env: {PATH: process.env['PATH'], ...settings}, encoding: 'utf8'} as const;
      const {status, stdout, stderr} = spawnSync(first, rest, options);
      return {status, stdout, stderr};
    };
    return {data, path, settings, run};
  }

  for (const [mode, isWarned] of [
    [0o660, false],
    [0o664, true],
  ] as const)
    test(`is used by its group with mode ${mode.toString(8)}, and there is ${isWarned ? 'a' : 'no'} warning that others may read it`, async (t) => {
      const {data, path, settings, run} = await volume(t, mode);
      const checked = run('config', 'check');
      assert.equal(checked.status, 0, checked.stdout + checked.stderr);
      assert.equal(/every user of this machine may read/.test(checked.stdout), isWarned);
      const service = await openFor(
        t,
        startService(settings, data, asUser).then((started) => ({
          ...started,
          close: () => started.end('SIGTERM'),
        })),
      );
      const sent = await fetch(`${service.url}/json/leads`, postJson(prequalificationBody, basic(acme)));
      assert.equal(sent.status, 201);
      assert.equal(
        service.lines.some((line) => /every user of this machine may read/.test(line)),
        isWarned,
      );
      const listed = run('leads', 'count');
      assert.deepEqual(listed, {status: 0, stdout: '1\n', stderr: ''});
      const {uid, mode: left} = statSync(path);
      assert.deepEqual([uid, left & 0o777], [0, mode]);
      for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).gid, group, name);
      assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});
    });
});
