import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Owner} from './opened.ts';

export type TemporaryFolder = {path: string; remove(): void};

export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'lead-prequal-test-'));
  return {path, remove: () => rmSync(path, {recursive: true, force: true})};
}

/** The path of a folder that is removed after the test or the suite that owns it. */
export function temporaryFolder(owner: Owner): string {
  const folder = makeTemporaryFolder();
  owner.after(() => folder.remove());
  return folder.path;
}
