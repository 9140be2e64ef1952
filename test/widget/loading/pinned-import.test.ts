import {expect} from '@open-wc/testing';
import {Clock} from '../../support/browser/clock.ts';
import {until} from '../../support/until.ts';
import {importPinned} from '../../../widget/loading/pinned-import.ts';

/**
 * The path is relative to `widget/loading/`, because the paths of later files are relative to the file that loads them.
 */
const path = '../../test/support/browser/later-file.js';

async function hashOf(relative: string) {
  const reply = await fetch(new URL(relative, new URL('../../../widget/loading/', import.meta.url)));
  const digest = await crypto.subtle.digest('SHA-384', await reply.arrayBuffer());
  return `sha384-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

const refused = (loading: Promise<unknown>) =>
  loading.then(
    () => false,
    () => true,
  );

describe('a later file', () => {
  it('does not run if it has another hash, and runs once if a later attempt gets the right one', async () => {
    const tampered = `sha384-${btoa('x'.repeat(48))}`;
    expect(await refused(importPinned(path, tampered))).to.be.true;
    expect(Object.hasOwn(window, 'laterFileRuns')).to.be.false;

    const integrity = await hashOf(path);
    const [module, again] = await Promise.all([importPinned(path, integrity), importPinned(path, integrity)]);
    expect(module).to.deep.equal({greeting: 'hello'});
    expect(again).to.equal(module);
    expect(await importPinned(path, integrity)).to.equal(module);
    expect((window as {laterFileRuns?: number}).laterFileRuns).to.equal(1);
  });

  it('that does not arrive is an error', async () => {
    const nowhere = 'http://127.0.0.1:1/later-file.js';
    expect(await refused(importPinned(nowhere, await hashOf(path)))).to.be.true;
  });

  it('that takes over ten seconds is an error, and is there at once for the next attempt', async () => {
    const slow = `${path}?slow`;
    const clock = new Clock();
    const loading = importPinned(slow, await hashOf(path));
    const failed = refused(loading);
    await clock.pass(10_000);
    clock.restore();
    expect(await failed).to.be.true;
    await until(() => (window as {laterFileRuns?: number}).laterFileRuns === 2);
    expect(await importPinned(slow, 'no hash, because nothing is requested')).to.deep.equal({
      greeting: 'hello',
    });
    expect((window as {laterFileRuns?: number}).laterFileRuns).to.equal(2);
  });
});
