/** The page around the form, as a test wants it: its address, where it came from, what its browser allows. */

const undo: (() => void)[] = [];

/** Puts everything back. */
export function restorePage() {
  while (undo.length > 0) undo.pop()?.();
}

/** Puts something else in the place of a property of the page. */
export function stub(target: object, name: string, property: PropertyDescriptor) {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, {configurable: true, ...property});
  undo.push(() => {
    if (own) Object.defineProperty(target, name, own);
    else Reflect.deleteProperty(target, name);
  });
}

/** Without a reload, as a router does. */
export function goTo(address: string) {
  const before = location.href;
  history.replaceState(history.state, '', address);
  undo.push(() => history.replaceState(history.state, '', before));
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

/** Milliseconds from now. */
export function later(milliseconds: number) {
  const at = Date.now() + milliseconds;
  stub(Date, 'now', {value: () => at});
}
