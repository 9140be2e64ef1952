/** One visit to a page on a slow phone: what the browser measures while it loads and while the form is filled in. */
import {setTimeout as delay} from 'node:timers/promises';
import type {Browser, CDPSession, Page} from 'playwright-core';
import type {} from '../../widget/page/events.ts';

/** A mid-range phone on a slow mobile network. */
export const slow = {cpu: 4, bytesPerSecond: 200_000, latencyMs: 150};
/** The speed of a fast typist, about 110 words a minute. */
const keyEveryMs = 100;
const viewport = {width: 390, height: 844};
/**
 * Pixels. The window that playwright sets is as high as the viewport and includes the browser's own interface (87 px),
 * so the lower edge of the page would never be drawn, and a key in a field there would seem to take up to a second.
 */
const browserInterface = 150;

export type LongTask = {start: number; duration: number};
/** A key or a click with all its events, and the milliseconds until the next paint. */
export type Interaction = {start: number; duration: number; names: readonly string[]};

export type Loaded = {
  /** Milliseconds after navigation until the first field, or the heading of a page without one, is painted. */
  shownAt: number;
  shift: number;
  longTasks: readonly LongTask[];
  /** The different addresses of all requests before the first touch, except the page itself. */
  requests: readonly string[];
  /** Bytes of the scripts from another origin that were transferred before the first field was painted. */
  transferred: number;
};

export type FilledIn = {
  /** When each part of the visit began, by its name, in order. */
  parts: readonly {name: string; start: number}[];
  interactions: readonly Interaction[];
  longTasks: readonly LongTask[];
  /** The times of the third step and of the last key derivation of the proof of work, if there was one. */
  thirdStepAt: number;
  proofReadyAt: number | undefined;
  /** Of the whole visit, from the arrival on the page. */
  shift: number;
};

type Noted = {
  shownAt?: number;
  shift: number;
  longTasks: LongTask[];
  events: {id: number; start: number; duration: number; name: string}[];
  steps: Record<number, number>;
  derivedAt?: number;
};

/** Evaluates an expression with the browser's protocol, because playwright's own scripts would be a long task. */
const ask = async (devtools: CDPSession, expression: string): Promise<unknown> => {
  const {result} = await devtools.send('Runtime.evaluate', {expression, returnByValue: true});
  return result.value;
};
const read = async (devtools: CDPSession) => (await ask(devtools, 'noted')) as Noted;

async function until(devtools: CDPSession, expression: string) {
  const limit = Date.now() + 30_000;
  while (!(await ask(devtools, expression))) {
    if (Date.now() > limit) throw new Error(`After 30 s this is still not true on the page: ${expression}`);
    await delay(50);
  }
}

/** Runs in the page before all other scripts. */
function takeNotes(shows: string) {
  const noted: Noted = {shift: 0, longTasks: [], events: [], steps: {}};
  Object.assign(globalThis, {noted});

  const observe = (type: string, note: (entry: never) => void, options: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => note(entry as never))).observe({
      type,
      buffered: true,
      ...options,
    });
  observe('layout-shift', ({value, hadRecentInput}: {value: number; hadRecentInput: boolean}) => {
    if (!hadRecentInput) noted.shift += value;
  });
  observe('longtask', ({startTime, duration}: PerformanceEntry) => {
    noted.longTasks.push({start: startTime, duration});
  });
  observe(
    'event',
    ({interactionId, startTime, duration, name}: PerformanceEventTiming) => {
      if (interactionId) noted.events.push({id: interactionId, start: startTime, duration, name});
    },
    {durationThreshold: 16},
  );

  addEventListener('prequal-step', ({detail}) => (noted.steps[detail.step] = performance.now()));
  const derive = crypto.subtle.deriveBits.bind(crypto.subtle);
  crypto.subtle.deriveBits = async (...of) => {
    const bits = await derive(...of);
    noted.derivedAt = performance.now();
    return bits;
  };

  Object.assign(globalThis, {
    /** Scrolls the input, option or button with this text into view, and returns its position. */
    placeOf(words: string) {
      const root = document.querySelector('lead-prequal-form')?.shadowRoot;
      const found = [...(root?.querySelectorAll('label, button, h2') ?? [])].find(({textContent}) =>
        textContent.replace(/\s+/g, ' ').includes(words),
      );
      const control = found instanceof HTMLLabelElement ? (found.control as HTMLInputElement) : undefined;
      const target = control && control.type !== 'radio' ? control : found;
      target?.scrollIntoView({block: 'center'});
      const box = target?.getBoundingClientRect();
      return box && {x: box.x + box.width / 2, y: box.y + box.height / 2};
    },
  });

  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => (noted.shownAt = performance.now());
  const look = () => {
    const root = document.querySelector('lead-prequal-form')?.shadowRoot ?? document;
    // Elements that exist when a frame begins are on the screen when it ends. The message arrives then.
    if (root.querySelector(shows)) port2.postMessage('');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** @param shows a selector of the element to wait for */
export async function visit(browser: Browser, url: string, shows: string) {
  const context = await browser.newContext({viewport});
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const devtools = await context.newCDPSession(page);
  const {windowId} = await devtools.send('Browser.getWindowForTarget');
  await devtools.send('Browser.setWindowBounds', {
    windowId,
    bounds: {height: viewport.height + browserInterface},
  });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latencyMs,
    downloadThroughput: slow.bytesPerSecond,
    uploadThroughput: slow.bytesPerSecond,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', {rate: slow.cpu});
  await page.addInitScript(takeNotes, shows);
  await page.goto(url);
  await until(devtools, 'noted.shownAt');
  // The page may do more before the first touch, which is measured as well.
  await delay(1_500);
  const {shownAt = NaN, shift, longTasks} = await read(devtools);
  const transferred = (await ask(
    devtools,
    `performance.getEntriesByType('resource')
      .filter(({name, responseEnd}) => responseEnd <= noted.shownAt && new URL(name).pathname.endsWith('.js'))
      .reduce((sum, {transferSize}) => sum + transferSize, 0)`,
  )) as number;
  const loaded: Loaded = {
    shownAt,
    shift,
    longTasks,
    // One that the page has preloaded is listed again when it is used.
    requests: [...new Set(requests)].filter((request) => request !== url && !request.startsWith('data:')),
    transferred,
  };
  return {page, devtools, loaded, leave: () => context.close()};
}

/** Fills in the form up to the result and goes back, by mouse and by keyboard. */
export async function fillIn(page: Page, devtools: CDPSession): Promise<FilledIn> {
  const parts: {name: string; start: number}[] = [];
  const begin = async (name: string) =>
    void parts.push({name, start: (await ask(devtools, 'performance.now()')) as number});
  const placeOf = (words: string) => `placeOf(${JSON.stringify(words)})`;
  const shows = (words: string) => until(devtools, placeOf(words));
  const settle = () => delay(400);
  const type = (text: string) => page.keyboard.type(text, {delay: keyEveryMs});
  const press = (key: string) => page.keyboard.press(key, {delay: keyEveryMs});
  async function click(words: string) {
    const {x, y} = (await ask(devtools, placeOf(words))) as {x: number; y: number};
    await delay(100);
    await page.mouse.click(x, y, {delay: keyEveryMs});
  }

  await begin('choosing a credit score (click)');
  await click('Above 720');
  await begin('to the second step (Enter)');
  await press('Enter');
  await shows('Your funds');
  await settle();
  await begin('typing amounts');
  await click('Retirement funds');
  await type('$120,000');
  await press('Tab');
  await type('50k');
  await begin('choosing “None” (click)');
  await click('None for Investments');
  await begin('to the third step (click)');
  await click('Next');
  await shows('First name');
  await settle();
  await begin('going to the contact data (click)');
  await click('First name');
  await begin('typing contact data');
  for (const text of ['Ana', 'Silva', 'ana@example.com']) {
    await type(text);
    await press('Tab');
  }
  await type('4155550132');
  // After sending, the form begins the proof of the next lead.
  const {derivedAt} = await read(devtools);
  await begin('sending (click)');
  await click('See my estimate');
  await shows('Change my answers');
  await settle();
  await begin('changing answers (click)');
  await click('Change my answers');
  await shows('Your funds');
  await settle();

  const {events, longTasks, steps, shift} = await read(devtools);
  const from = parts[0]!.start;
  const byId = Map.groupBy(
    events.filter(({start}) => start >= from),
    ({id}) => id,
  );
  return {
    parts,
    interactions: [...byId.values()].map((group) => ({
      start: Math.min(...group.map(({start}) => start)),
      duration: Math.max(...group.map(({duration}) => duration)),
      names: group.map(({name}) => name),
    })),
    longTasks: longTasks.filter(({start}) => start >= from),
    thirdStepAt: steps[3] ?? NaN,
    proofReadyAt: derivedAt,
    shift,
  };
}
