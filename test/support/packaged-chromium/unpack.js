/** Unpacks the Chromium of the package into the temporary folder, once, and prints as JSON where it is. */
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import chromium, {inflate} from '@sparticuz/chromium';

const executablePath = await chromium.executablePath();
const starts = spawnSync(executablePath, ['--version']).status === 0;
// On a minimal machine, the libraries that a browser needs are missing.
const archive = join(import.meta.dirname, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br');
const libraries = starts ? undefined : join(await inflate(archive), 'lib');
console.log(JSON.stringify({executablePath, libraries}));
