/**
 * Runs the widget's tests in every engine that is installed: in Chromium, which comes with the packages, and in Firefox
 * and WebKit if they are there. With `REQUIRE_BROWSERS=chromium,firefox,webkit` a missing engine is an error. With
 * `BROWSERS=firefox` the tests run only in Firefox.
 */
import {fileURLToPath} from 'node:url';
import {esbuildPlugin} from '@web/dev-server-esbuild';
import {defaultReporter} from '@web/test-runner';
import {launch} from './test/support/browser-runner/launchers.ts';
import {filesToRun, totals} from './test/support/browser-runner/totals.ts';
import {freePort} from './test/support/free-port.ts';
import {hostPages} from './test/support/host-pages.ts';

const namesIn = (list) => list?.split(',').map((name) => name.trim());
const wanted = namesIn(process.env.BROWSERS) ?? ['chromium', 'firefox', 'webkit'];
const required = namesIn(process.env.REQUIRE_BROWSERS) ?? ['chromium'];

const pages = hostPages();

export default {
  files: filesToRun('test/widget/**/*.test.ts'),
  // By default each run looks for a free port from 8000 on, so two runs that start together would take the same one.
  port: await freePort(),
  nodeResolve: {exportConditions: ['browser', 'production']},
  // One file at a time, so that WebKit gives each one a page instead of a frame, in which inputs really get the focus.
  concurrency: 1,
  concurrentBrowsers: 3,
  // Milliseconds. A machine that does other work at the same time needs many times as long as an idle one.
  browserStartTimeout: 120_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 600_000,
  // Milliseconds, more than test/support/until.ts waits, so that its error is seen, which says what did not happen.
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
  // Tests that expect an error of the widget in the console replace `console.error`, so that it is not printed.
  filterBrowserLogs: ({type}) => type === 'error' || type === 'debug',
  reporters: [defaultReporter({reportTestResults: true, reportTestProgress: false}), totals],
  browsers: await launch(wanted, required),
};
