/**
 * What is kept until the tab is closed. Where a page may not store anything, and `sessionStorage` throws, it is
 * kept until the page is left.
 */
const inMemory: Record<string, unknown> = {};

/** What was kept under this name; other scripts on the page can have changed it. */
export function recall(name: string): unknown {
  try {
    return JSON.parse(sessionStorage[name] as string);
  } catch {
    return inMemory[name];
  }
}

/** Without a value, what was kept is forgotten. */
export function keep(name: string, value?: object | string) {
  try {
    delete sessionStorage[name];
    delete inMemory[name];
    if (value) sessionStorage[name] = JSON.stringify(value);
  } catch {
    inMemory[name] = value;
  }
}
