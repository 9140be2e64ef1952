/** Changes the page around the form for a test: its address, its referrer, and what the browser allows. */

const undo: (() => void)[] = [];

/** Undoes all changes. `useServer` does it after each test. */
export function restorePage() {
  while (undo.length > 0) undo.pop()?.();
}

/** Calls `restore` when all changes are undone. */
export const restoreLater = (restore: () => void) => void undo.push(restore);

/** Replaces a property until `restorePage()` is called. */
export function stub(target: object, name: string, property: PropertyDescriptor) {
  const original = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, {configurable: true, ...property});
  restoreLater(() => {
    if (original) Object.defineProperty(target, name, original);
    else Reflect.deleteProperty(target, name);
  });
}

/** Changes the address of the page without a reload, as a router does. */
export function goTo(address: string) {
  const before = location.href;
  history.replaceState(history.state, '', address);
  restoreLater(() => history.replaceState(history.state, '', before));
}

export const comeFrom = (referrer: string) => stub(Document.prototype, 'referrer', {get: () => referrer});

export const privacySignal = (name: 'globalPrivacyControl' | 'doNotTrack', value: unknown) =>
  stub(navigator, name, {value});

export const forbidStorage = () =>
  stub(window, 'sessionStorage', {
    get() {
      throw new DOMException('denied', 'SecurityError');
    },
  });

export const fillStorage = () =>
  stub(Storage.prototype, 'setItem', {
    value() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  });

/** What the form copies from now on. */
export function hearClipboard(): readonly string[] {
  const copies: string[] = [];
  const writeText = (text: string) => Promise.resolve(void copies.push(text));
  stub(navigator, 'clipboard', {value: {writeText}});
  return copies;
}

/** Sets the date to so many milliseconds from now. */
export function later(milliseconds: number) {
  const at = Date.now() + milliseconds;
  stub(Date, 'now', {value: () => at});
}

/**
 * What is said in the console in each test of the suite in which this is called: by the form, to the webmaster. It is not
 * printed.
 */
export function hearConsole(): readonly string[] {
  const said: string[] = [];
  beforeEach(() => {
    said.length = 0;
    stub(console, 'error', {value: (...words: unknown[]) => said.push(words.join(' '))});
  });
  afterEach(restorePage);
  return said;
}
