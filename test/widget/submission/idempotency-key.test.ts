import {expect} from '@open-wc/testing';
import {currentKey, dropKey, newKey} from '../../../widget/submission/idempotency-key.ts';

describe('the idempotency key of a lead', () => {
  afterEach(() => sessionStorage.clear());

  it('the same key is used until it is dropped', () => {
    const key = currentKey('acme');
    expect(currentKey('acme')).to.equal(key);
    dropKey('acme');
    expect(currentKey('acme')).not.to.equal(key);
  });

  it('the key is found again after a reload of the page', () => {
    const key = currentKey('acme');
    expect(Object.values(sessionStorage)).to.include(JSON.stringify(key));
    expect(currentKey('acme')).to.equal(key);
  });

  it('two partners have different keys', () => {
    expect(currentKey('acme')).not.to.equal(currentKey('globex'));
  });

  it('a key works where the page may not store anything', () => {
    const original = Object.getOwnPropertyDescriptor(window, 'sessionStorage');
    Object.defineProperty(window, 'sessionStorage', {
      configurable: true,
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    try {
      const key = currentKey('initech');
      expect(currentKey('initech')).to.equal(key);
      dropKey('initech');
      expect(currentKey('initech')).not.to.equal(key);
    } finally {
      if (original) Object.defineProperty(window, 'sessionStorage', original);
    }
  });
});

describe('newKey', () => {
  it('makes 32 hexadecimal digits, never the same ones, also on pages without HTTPS', () => {
    const key = newKey();
    expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(newKey()).not.to.equal(key);
  });
});
