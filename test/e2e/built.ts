/** A server at `localhost` with the form that was built, and a browser. Other websites of a test are at `127.0.0.1`. */
import {resolve} from 'node:path';
import type {Config} from '../../server/config/config.ts';
import {launchChromium} from '../support/launch-chromium.ts';
import {freePort} from '../support/free-port.ts';
import {startTestServer} from '../support/test-server.ts';

export async function startBuilt(settings: Partial<Config>) {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const server = await startTestServer({port, publicUrl, embedFolder: resolve('dist/embed'), ...settings});
  const browser = await launchChromium();
  return {
    ...server,
    publicUrl,
    browser,
    databasePath: server.config.databasePath,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
