import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export type TemporaryFolder = {path: string; remove(): void};

export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'lead-prequal-test-'));
  return {path, remove: () => rmSync(path, {recursive: true, force: true})};
}
