import {expect} from '@open-wc/testing';
import {loadPinned} from '../../widget/loading/later-files.ts';

/** Relative to `widget/`, as the files of a build are to the first one. */
const path = '../test/support/browser/later-file.js';

async function hashOf(relative: string) {
  const reply = await fetch(new URL(relative, new URL('../../widget/', import.meta.url)));
  const digest = await crypto.subtle.digest('SHA-384', await reply.arrayBuffer());
  return `sha384-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

const refused = (loading: Promise<unknown>) =>
  loading.then(
    () => false,
    () => true,
  );

describe('a pinned file', () => {
  it('is not run when it has another hash, and is when a later attempt gets the right one', async () => {
    const tampered = `sha384-${btoa('x'.repeat(48))}`;
    expect(await refused(loadPinned({path, integrity: tampered}))).to.be.true;
    expect(Object.hasOwn(window, 'laterFileRan')).to.be.false;

    const module = (await loadPinned({path, integrity: await hashOf(path)})) as {greeting: string};
    expect(module.greeting).to.equal('hello');
    expect(Object.hasOwn(window, 'laterFileRan')).to.be.true;
  });

  it('that does not arrive is an error', async () => {
    const nowhere = 'http://127.0.0.1:1/later-file.js';
    expect(await refused(loadPinned({path: nowhere, integrity: await hashOf(path)}))).to.be.true;
    expect(await refused(loadPinned({path: nowhere, integrity: ''}))).to.be.true;
  });

  it('leaves nothing behind on the page', () => {
    expect(document.querySelector('script[integrity]')).to.equal(null);
  });
});
