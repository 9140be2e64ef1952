/** The script of an apply page in a frame, run with a made-up window: which page around the frame it writes to. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {runInNewContext} from 'node:vm';
import {frameScript} from '../../../../server/http/apply/page-assets.ts';

const own = 'https://leads.example.com';
const origins = ['https://www.partner.example', 'https://*.acme.example'];

type Around = {ancestor?: string; referrer?: string; isTop?: boolean};
type Sent = {message: unknown; target: string};

/** Runs the script, lets the page get a height of 700.2 pixels, and fires an event of the form. */
function messagesTo({ancestor, referrer = '', isTop = false}: Around): Sent[] {
  const sent: Sent[] = [];
  const parent = {postMessage: (message: unknown, target: string) => sent.push({message, target})};
  const listeners = new Map<string, (event: object) => void>();
  const page: Record<string, unknown> = {
    URL,
    location: {origin: own, ...(ancestor !== undefined && {ancestorOrigins: [ancestor]})},
    document: {
      referrer,
      currentScript: {dataset: {origins: origins.join(' ')}},
      documentElement: {getBoundingClientRect: () => ({height: 700.2})},
      addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    },
    ResizeObserver: class {
      #resized;
      constructor(resized: () => void) {
        this.#resized = resized;
      }
      observe() {
        this.#resized();
      }
    },
  };
  page['window'] = page;
  page['parent'] = isTop ? page : parent;
  page['postMessage'] = parent.postMessage;
  runInNewContext(frameScript, page);
  assert.equal(page['isCovered'], undefined);
  listeners.get('prequal-step')?.({type: 'prequal-step', detail: {step: 2, of: 3}});
  // Objects of the other context have other prototypes.
  return JSON.parse(JSON.stringify(sent)) as Sent[];
}

const both = (target: string): Sent[] => [
  {message: {type: 'prequal-height', height: 701}, target},
  {message: {type: 'prequal-event', name: 'prequal-step', detail: {step: 2, of: 3}}, target},
];

suite('the script of a page in a frame', () => {
  for (const around of ['https://www.partner.example', 'https://shop.acme.example']) {
    test(`writes to ${around}, which is listed`, () => {
      assert.deepEqual(messagesTo({ancestor: around}), both(around));
    });
  }
  for (const around of [
    'https://a.shop.acme.example',
    'https://.acme.example',
    'https://acme.example',
    'http://shop.acme.example',
    'https://shop.acme.example:8443',
    'https://shop.acme.example.evil.example',
    'https://evil.example',
    'null',
    '',
  ]) {
    test(`does not write to "${around}", which is not listed`, () => {
      assert.deepEqual(messagesTo({ancestor: around}), []);
    });
  }
  test('may write to a page of the server itself', () => {
    assert.deepEqual(messagesTo({ancestor: own}), both(own));
  });
  test('the referrer counts in a browser that does not name the page around', () => {
    assert.deepEqual(messagesTo({referrer: 'https://shop.acme.example/'}), both('https://shop.acme.example'));
    assert.deepEqual(messagesTo({referrer: 'https://evil.example/?https://www.partner.example'}), []);
    assert.deepEqual(messagesTo({}), []);
  });
  test('the referrer does not count in a browser that names the page around', () => {
    assert.deepEqual(messagesTo({ancestor: 'https://evil.example', referrer: `${origins[0]}/`}), []);
  });
  test('a page that is in no frame writes to nobody', () => {
    assert.deepEqual(messagesTo({isTop: true, referrer: `${origins[0]}/`}), []);
  });
});
