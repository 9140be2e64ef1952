/**
 * Runs the widget's tests in every engine that is installed: Chromium always (one comes with the packages),
 * Firefox and WebKit where they are. `REQUIRE_BROWSERS=chromium,firefox,webkit` makes a missing one an error;
 * `BROWSERS=firefox` runs only that one.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {fileURLToPath} from 'node:url';
import {esbuildPlugin} from '@web/dev-server-esbuild';
import {defaultReporter} from '@web/test-runner';
import {chromeLauncher} from '@web/test-runner-chrome';
import {webdriverLauncher} from '@web/test-runner-webdriver';
import puppeteer from 'puppeteer-core';
import {findChromium, findFirefox, findWebKit} from './test/support/find-browsers.ts';
import {hostPages} from './test/support/host-pages.ts';

const namesIn = (list) => list?.split(',').map((name) => name.trim());
const wanted = namesIn(process.env.BROWSERS) ?? ['chromium', 'firefox', 'webkit'];
const required = namesIn(process.env.REQUIRE_BROWSERS) ?? ['chromium'];

const children = [];
process.on('exit', () => children.forEach((child) => child.kill()));

const launchers = {
  chromium: async () => chromeLauncher({launchOptions: await findChromium()}),

  firefox() {
    const executablePath = findFirefox();
    // Through WebDriver BiDi, which the launcher's own puppeteer speaks as well.
    return (
      executablePath &&
      chromeLauncher({puppeteer, launchOptions: {browser: 'firefox', executablePath, headless: true}})
    );
  },

  async webkit() {
    const found = findWebKit();
    if (!found) return undefined;
    const display = await startDisplay(found.display);
    const port = await freePort();
    children.push(
      spawn(found.driver, [`--port=${port}`], {stdio: 'ignore', env: {...process.env, DISPLAY: display}}),
    );
    return webdriverLauncher({
      hostname: '127.0.0.1',
      port,
      path: '/',
      logLevel: 'silent',
      capabilities: {
        browserName: 'MiniBrowser',
        'wdio:enforceWebDriverClassic': true,
        'webkitgtk:browserOptions': {binary: found.browser, args: ['--automation']},
      },
    });
  },
};

const browsers = [];
for (const name of wanted) {
  const browser = await launchers[name]();
  if (browser) browsers.push(browser);
  else if (required.includes(name)) throw new Error(`${name} is required and not installed`);
  else console.log(`${name} is not installed: the widget is not tested in it`);
}

/** Xvfb picks a free display itself and says which. */
async function startDisplay(program) {
  const display = spawn(program, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  children.push(display);
  const [number] = await once(display.stdio[3], 'data');
  return `:${String(number).trim()}`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address();
  server.close();
  return port;
}

const testsIn = (suite) => [...suite.tests, ...suite.suites.flatMap(testsIn)];

/** The default reporter prints what failed, and on request a line a second; this prints the end of it. */
const tally = {
  stop({sessions}) {
    for (const name of new Set(sessions.map(({browser}) => browser.name))) {
      const files = sessions.filter(({browser}) => browser.name === name);
      const tests = files.flatMap(({testResults}) => (testResults ? testsIn(testResults) : []));
      const passed = tests.filter((test) => test.passed).length;
      console.log(`${name}: ${passed} passed, ${tests.length - passed} failed`);
    }
  },
};

const pages = hostPages();

export default {
  files: ['test/widget/**/*.test.ts', 'test/form/*.test.ts'],
  nodeResolve: {exportConditions: ['browser', 'production']},
  // One page at a time: WebKit then gives each test a page of its own instead of a frame, and focus is real.
  concurrency: 1,
  concurrentBrowsers: 3,
  testsFinishTimeout: 240_000,
  testFramework: {config: {timeout: 20_000}},
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
  reporters: [defaultReporter({reportTestResults: true, reportTestProgress: false}), tally],
  browsers,
};
