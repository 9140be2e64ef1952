/**
 * Runs the widget's tests: all of them in Chromium, which is installed where it is missing, and those of `inEachEngine`
 * also in Firefox and WebKit, if they are installed. The settings:
 *
 * - `BROWSERS=chromium,firefox,webkit` runs every file in each of these browsers; `--files` does so, too.
 * - `REQUIRE_BROWSERS=chromium,firefox,webkit` makes a browser that is not installed an error.
 */
import {accessSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {defaultReporter} from '@web/test-runner';
import {transformWithOxc} from 'vite';
import {launch} from './test/support/browser-runner/launchers.ts';
import {filesToRun, totals} from './test/support/browser-runner/totals.ts';
import {freePort} from './test/support/free-port.ts';
import {partnerPages} from './test/support/partner-pages.ts';

/** Files in `test/widget` that run in each engine, by what engines do differently. */
const inEachEngine = {
  'accessibility.test.ts': 'line breaks, the size of controls, focus rings',
  'dialog.test.ts': 'the modal dialog, its focus, the scrolling of the page behind it',
  'page-brand.test.ts': 'colours that are computed from others, heights',
  'page-css.test.ts': "the browser's own style sheet, fonts",
  'narrow.test.ts': 'line breaks',
  'fields/amounts.test.ts': 'keys, the caret, the order of the events of a click',
  'fields/draft.test.ts': 'session storage, the order of rendering',
  'fields/engines.test.ts': 'Intl, regular expressions',
  'fields/form.test.ts': 'the order of focus events, tokens of autofill',
  'fields/keyboard.test.ts': 'which elements Tab and Enter reach',
  'fields/moving.test.ts': 'scrolling, double clicks, keys',
  'partner-pages/classic.test.ts': 'modules and classic scripts, in each way in which a page can load them',
  'partner-pages/frames.test.ts': 'opaque frames',
  'partner-pages/no-script.test.ts': 'animations, elements before they are defined',
  'partner-pages/patched.test.ts': 'what old libraries find in the browser and replace',
  'partner-pages/policies.test.ts': 'content security policies, Trusted Types, Integrity-Policy',
  'partner-pages/requests.test.ts': 'headers of requests, preloads',
  'partner-pages/widths.test.ts': 'the width of a parent that shrinks to fit',
  'submission/consent-view.test.ts': 'the words of a button as they are shown, scrolling in a dialog',
  'loading/pinned-import.test.ts': 'import() of a file whose hash was checked',
  'takeaway/takeaway.test.ts': 'print',
};

const namesIn = (list) => list?.split(',').map((name) => name.trim());
const required = namesIn(process.env.REQUIRE_BROWSERS) ?? ['chromium'];
const wanted = namesIn(process.env.BROWSERS) ?? ['chromium', 'firefox', 'webkit'];
const runsAllInEach = process.env.BROWSERS || process.argv.includes('--files');
const browsers = await launch(runsAllInEach ? wanted : ['chromium'], required);
const otherEngines = runsAllInEach ? [] : await launch(['firefox', 'webkit'], required);

const files = filesToRun('test/widget/**/*.test.ts');
const filesInEachEngine = Object.keys(inEachEngine).map((name) => resolve('test/widget', name));
for (const file of filesInEachEngine) accessSync(file);
const filesOfOthers = files.filter((file) => filesInEachEngine.includes(file));

const pages = partnerPages();

/** Compiles TypeScript with the compiler of the build. The source map is for the line numbers in errors. */
const typescript = {
  name: 'typescript',
  resolveMimeType: ({path}) => (path.endsWith('.ts') ? 'js' : undefined),
  async transform({path, body}) {
    if (!path.endsWith('.ts')) return undefined;
    const {code, map} = await transformWithOxc(body, join(import.meta.dirname, path));
    const encodedMap = Buffer.from(JSON.stringify(map)).toString('base64');
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${encodedMap}`;
  },
};

export default {
  files,
  browsers,
  groups:
    otherEngines.length && filesOfOthers.length
      ? [{name: 'each engine', files: filesOfOthers, browsers: otherEngines}]
      : [],
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
  plugins: [pages.plugin, typescript],
  // Tests that expect an error of the widget in the console replace `console.error`, so that it is not printed.
  filterBrowserLogs: ({type}) => type === 'error' || type === 'debug',
  reporters: [defaultReporter({reportTestResults: true, reportTestProgress: false}), totals],
};
