/**
 * Opens what a test or a suite needs, and closes it also when a test fails or a name pattern skips tests. Anything that
 * stays open, such as the thread of a store or the port of a server, would keep the test run from ending.
 */
import {after, before} from 'node:test';

type Closable = {close(): unknown};

/** The context of a test, or a suite as below. */
export type Owner = {after(work: () => unknown): void};

/** An owner that closes first what was opened last. A test itself closes in the order of opening. */
export function inReverse(owner: Owner): Owner {
  const works: (() => unknown)[] = [];
  owner.after(async () => {
    for (const work of works.toReversed()) await work();
  });
  return {after: (work) => void works.push(work)};
}

/** Must be called where the suite is described. Functions added to it run after the last test, in reverse order. */
export const suiteOwner = (): Owner => inReverse({after});

/** Closes it after the test or the suite that owns it, unless it was closed before. */
export async function openFor<Resource extends Closable>(
  owner: Owner,
  opening: Resource | Promise<Resource>,
): Promise<Resource> {
  const opened = await opening;
  let closed: {result: unknown} | undefined;
  const close = () => (closed ??= {result: opened.close()}).result;
  owner.after(close);
  return {...opened, close};
}

/**
 * Opens it before the first test of this suite and closes it after the last. Only tests may use its members.
 * @param open may give what it needs besides to the same owner
 */
export function openForSuite<Resource extends Closable>(open: (owner: Owner) => Promise<Resource>): Resource {
  const owner = suiteOwner();
  const members = {} as Resource;
  before(async () => void Object.assign(members, await openFor(owner, open(owner))));
  return members;
}

/** Opens it for `work`, and closes it afterwards. */
export async function openWhile<Resource extends Closable, Result>(
  opening: Promise<Resource>,
  work: (opened: Resource) => Promise<Result>,
): Promise<Result> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
