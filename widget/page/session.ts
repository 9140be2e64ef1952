/**
 * Keeps values until the tab is closed, in `sessionStorage`. If the browser does not let the page store anything,
 * `sessionStorage` throws, and the values are kept in memory until the visitor leaves the page.
 */
const inMemory: Record<string, unknown> = {};

/** The value that was kept under this name. Its type is unknown, because other scripts on the page can change it. */
export function recall(name: string): unknown {
  try {
    return JSON.parse(sessionStorage[name] as string);
  } catch {
    return inMemory[name];
  }
}

/** Keeps a value under this name. Without a value, the one that was kept is deleted. */
export function keep(name: string, value?: object | string) {
  try {
    delete sessionStorage[name];
    delete inMemory[name];
    if (value) sessionStorage[name] = JSON.stringify(value);
  } catch {
    inMemory[name] = value;
  }
}
