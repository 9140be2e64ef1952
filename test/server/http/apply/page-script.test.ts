/** The script of an apply page in a frame, run with a made-up window: which page around the frame it writes to. */
import assert from 'node:assert/strict';
import {suite, test} from 'node:test';
import {runInNewContext} from 'node:vm';
import {pageScript} from '../../../../server/http/apply/page-assets.ts';

const own = 'https://leads.example.com';
const origins = ['https://www.partner.example', 'https://*.acme.example'];

type Around = {ancestor?: string; referrer?: string; isTop?: boolean};
type Sent = {message: unknown; target: string};

type Told = {origin: string; source?: 'parent' | 'other'; data: unknown};

/**
 * Runs the script, lets the page get a height of 700.2 pixels, fires an event of the form, and then lets the page around
 * tell something.
 * @param search the query of the apply page itself
 */
function run({ancestor, referrer = '', isTop = false}: Around, told: readonly Told[] = [], search = '') {
  const sent: Sent[] = [];
  const parent = {postMessage: (message: unknown, target: string) => sent.push({message, target})};
  type Listener = (event: object) => void;
  const [listeners, windowListeners] = [new Map<string, Listener>(), new Map<string, Listener>()];
  const attributes: Record<string, string> = {'context-brand': 'north'};
  const element = {
    prefill: undefined as unknown,
    querySelector: () => null,
    hasAttribute: (name: string) => Object.hasOwn(attributes, name),
    setAttribute: (name: string, value: string) => void (attributes[name] = value),
  };
  const stored: Record<string, string> = {};
  const page: Record<string, unknown> = {
    URL,
    URLSearchParams,
    location: {origin: own, search, ...(ancestor !== undefined && {ancestorOrigins: [ancestor]})},
    sessionStorage: stored,
    addEventListener: (name: string, listener: Listener) => windowListeners.set(name, listener),
    document: {
      referrer,
      currentScript: {dataset: {origins: origins.join(' ')}},
      documentElement: {getBoundingClientRect: () => ({height: 700.2})},
      querySelector: () => element,
      addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
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
  runInNewContext(pageScript, page);
  for (const name of ['campaignParameter', 'contextName', 'draftLifetime', 'isCovered'])
    assert.equal(page[name], undefined);
  listeners.get('prequal-step')?.({type: 'prequal-step', detail: {step: 2, of: 3}});
  for (const {source = 'parent', ...event} of told)
    windowListeners.get('message')?.({...event, source: source === 'parent' ? page['parent'] : {}});
  // Objects of the other context have other prototypes.
  const {prefill} = element;
  const kept = Object.entries(stored).map(([name, text]): [string, unknown] => [name, JSON.parse(text)]);
  return JSON.parse(JSON.stringify({sent, attributes, prefill, stored: Object.fromEntries(kept)})) as {
    sent: Sent[];
    attributes: Record<string, string>;
    prefill?: unknown;
    stored: Record<string, unknown>;
  };
}

const messagesTo = (around: Around) => run(around).sent;

const all = (target: string): Sent[] => [
  {message: {type: 'prequal-height', height: 701}, target},
  {message: {type: 'prequal-hello'}, target},
  {message: {type: 'prequal-event', name: 'prequal-step', detail: {step: 2, of: 3}}, target},
];

suite('the script of a page in a frame', () => {
  for (const around of ['https://www.partner.example', 'https://shop.acme.example']) {
    test(`writes to ${around}, which is listed`, () => {
      assert.deepEqual(messagesTo({ancestor: around}), all(around));
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
    assert.deepEqual(messagesTo({ancestor: own}), all(own));
  });
  test('the referrer counts in a browser that does not name the page around', () => {
    assert.deepEqual(messagesTo({referrer: 'https://shop.acme.example/'}), all('https://shop.acme.example'));
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

suite('what the page around the frame tells', () => {
  const listed = 'https://shop.acme.example';
  const data = {
    type: 'prequal-page',
    search: '?utm_source=news&gclid=abc&email=ana@example.com',
    address: `${listed}/loans?email=ana@example.com#top`,
    referrer: 'https://search.example/find?q=secret',
    context: {brand: 'south', store: 'main street', 'no name': 'x'},
    prefill: {first_name: 'Ana'},
  };
  const untold = {attributes: {'context-brand': 'north'}, stored: {}};

  test('reaches the form: its campaign, its hidden fields and what it knows of the visitor', () => {
    const {attributes, prefill, stored} = run({ancestor: listed}, [{origin: listed, data}]);
    assert.deepEqual(attributes, {'context-brand': 'north', 'context-store': 'main street'});
    assert.deepEqual(prefill, {first_name: 'Ana'});
    assert.deepEqual(stored, {
      'lead-prequal-touch': {
        utm_source: 'news',
        gclid: 'abc',
        referrer: 'https://search.example/find',
        landing_page: `${listed}/loans`,
      },
    });
  });

  test('does not replace a campaign that the partner has written into the address of the frame', () => {
    const {stored} = run({ancestor: listed}, [{origin: listed, data}], '?utm_source=partner');
    assert.deepEqual(stored, {});
  });

  test('counts only if that page tells it, and its origin is listed', () => {
    for (const [around, told] of [
      [{ancestor: listed}, {origin: 'https://evil.example', data}],
      [{ancestor: listed}, {origin: listed, source: 'other', data}],
      [{ancestor: 'https://evil.example'}, {origin: 'https://evil.example', data}],
      [
        {isTop: true, referrer: `${listed}/`},
        {origin: listed, data},
      ],
      [{ancestor: listed}, {origin: listed, data: {...data, type: 'other'}}],
    ] as [Around, Told][]) {
      const {attributes, prefill, stored} = run(around, [told]);
      assert.deepEqual({attributes, stored, prefill}, {...untold, prefill: undefined}, JSON.stringify(told));
    }
  });

  test('may be anything, and breaks nothing', () => {
    for (const data of [null, 'text', 7, {type: 'prequal-page', context: 'a', prefill: 'b', search: {}}])
      assert.deepEqual(run({ancestor: listed}, [{origin: listed, data}]).stored, {});
  });
});
