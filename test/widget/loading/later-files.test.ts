import {expect} from '@open-wc/testing';
import {loadPinned} from '../../../widget/loading/later-files.ts';

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
  it('a later file does not run if it has another hash, and runs once if a later attempt gets the right one', async () => {
    const tampered = `sha384-${btoa('x'.repeat(48))}`;
    expect(await refused(loadPinned({path, integrity: tampered}))).to.be.true;
    expect(Object.hasOwn(window, 'laterFileRuns')).to.be.false;

    const integrity = await hashOf(path);
    const [module, again] = await Promise.all([loadPinned({path, integrity}), loadPinned({path, integrity})]);
    expect(module).to.deep.equal({greeting: 'hello'});
    expect(again).to.equal(module);
    expect(await loadPinned({path, integrity})).to.equal(module);
    expect((window as {laterFileRuns?: number}).laterFileRuns).to.equal(1);
  });

  it('a later file is the module itself if the form is not built', async () => {
    const session = await loadPinned({path: '../page/session.ts', integrity: ''});
    expect(session).to.have.all.keys('keep', 'recall');
  });

  it('a later file that does not arrive is an error', async () => {
    const nowhere = 'http://127.0.0.1:1/later-file.js';
    expect(await refused(loadPinned({path: nowhere, integrity: await hashOf(path)}))).to.be.true;
    expect(await refused(loadPinned({path: nowhere, integrity: ''}))).to.be.true;
  });

  it('a later file leaves no script element on the page', () => {
    expect(document.querySelector('script[integrity]')).to.equal(null);
  });
});
