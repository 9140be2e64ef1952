/**
 * Runs the widget's tests in every engine that is installed: Chromium always (one comes with the packages),
 * Firefox and WebKit where they are. `REQUIRE_BROWSERS=chromium,firefox,webkit` makes a missing one an error;
 * `BROWSERS=firefox` runs only that one.
 */
import {fileURLToPath} from 'node:url';
import {esbuildPlugin} from '@web/dev-server-esbuild';
import {defaultReporter} from '@web/test-runner';
import {launch} from './test/support/browser-runner/launchers.ts';
import {totals} from './test/support/browser-runner/totals.ts';
import {freePort} from './test/support/free-port.ts';
import {hostPages} from './test/support/host-pages.ts';

const namesIn = (list) => list?.split(',').map((name) => name.trim());
const wanted = namesIn(process.env.BROWSERS) ?? ['chromium', 'firefox', 'webkit'];
const required = namesIn(process.env.REQUIRE_BROWSERS) ?? ['chromium'];

const pages = hostPages();

export default {
  files: 'test/widget/**/*.test.ts',
  // The runner would begin at 8000, and two runs that start at the same time would both take the first free port.
  port: await freePort(),
  nodeResolve: {exportConditions: ['browser', 'production']},
  // One page at a time: WebKit then gives each test a page of its own instead of a frame, and focus is real.
  concurrency: 1,
  concurrentBrowsers: 3,
  // Milliseconds. Machines that do other work at the same time need many times what a quiet one needs.
  browserStartTimeout: 120_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 300_000,
  // Longer than test/support/until.ts waits, whose error says what did not happen.
  testFramework: {config: {timeout: 90_000}},
  middleware: [pages.middleware],
  plugins: [
    pages.plugin,
    esbuildPlugin({
      ts: true,
      target: 'es2022',
      tsconfig: fileURLToPath(new URL('./widget/tsconfig.json', import.meta.url)),
    }),
  ],
  // What the widget says to webmasters is tested where it is said.
  filterBrowserLogs: ({type}) => type === 'error' || type === 'debug',
  reporters: [defaultReporter({reportTestResults: true, reportTestProgress: false}), totals],
  browsers: await launch(wanted, required),
};
