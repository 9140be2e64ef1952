import {expect} from '@open-wc/testing';
import * as session from '../../../widget/page/session.ts';
import {keyRing, newKey} from '../../../widget/submission/idempotency-key.ts';

describe('keyRing', () => {
  afterEach(() => sessionStorage.clear());

  it('a key ring gives the same key until it is dropped', () => {
    const keys = keyRing('acme', session);
    const key = keys.current();
    expect(keys.current()).to.equal(key);
    keys.drop();
    expect(keys.current()).not.to.equal(key);
  });

  it('a key ring finds the key again after a reload of the page', () => {
    const key = keyRing('acme', session).current();
    expect(Object.values(sessionStorage)).to.include(JSON.stringify(key));
    expect(keyRing('acme', session).current()).to.equal(key);
  });

  it('two partners have different keys', () => {
    expect(keyRing('acme', session).current()).not.to.equal(keyRing('globex', session).current());
  });

  it('a key ring works where the page may not store anything', () => {
    const original = Object.getOwnPropertyDescriptor(window, 'sessionStorage');
    Object.defineProperty(window, 'sessionStorage', {
      configurable: true,
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    try {
      const keys = keyRing('initech', session);
      const key = keys.current();
      expect(keys.current()).to.equal(key);
      keys.drop();
      expect(keys.current()).not.to.equal(key);
    } finally {
      if (original) Object.defineProperty(window, 'sessionStorage', original);
    }
  });
});

describe('newKey', () => {
  it('a new key is 32 hexadecimal digits, never the same, and is also made on pages without HTTPS', () => {
    const key = newKey();
    expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(newKey()).not.to.equal(key);
  });
});
