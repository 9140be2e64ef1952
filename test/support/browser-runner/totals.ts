/**
 * Prints how many tests passed and failed in each browser, which the runner itself prints only while it runs. If the
 * setting `TEST_RESULTS` names a folder, the totals of each file are kept there, and a second run of the tests takes
 * only the files that have not passed, as `--test-rerun-failures` of Node does with tests.
 */
import {globSync, readFileSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Reporter, TestSession, TestSuiteResult} from '@web/test-runner';

interface Totals {
  passed: number;
  failed: number;
}

const {TEST_RESULTS: folder} = process.env;
const resultsFile = folder && resolve(folder, 'widget.json');

/** The totals by file and browser, those of an earlier run included. */
const results: Record<string, Record<string, Totals>> = resultsFile ? readResults(resultsFile) : {};

function readResults(file: string) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as typeof results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** The files that have not passed in an earlier run; if all have, the first one, because the runner needs one. */
export function filesToRun(pattern: string): string[] {
  const files = globSync(pattern)
    .sort()
    .map((file) => resolve(file));
  const left = files.filter((file) => {
    const totals = results[file];
    return !totals || Object.values(totals).some(({failed}) => failed > 0);
  });
  return left.length ? left : files.slice(0, 1);
}

const testsIn = (suite: TestSuiteResult): TestSuiteResult['tests'] => [
  ...suite.tests,
  ...suite.suites.flatMap(testsIn),
];

/**
 * What a file adds to the totals. A file can fail although none of its tests failed: it could not be loaded, did not
 * end in time, or left its page. That counts as one failure, or else the totals would not show it.
 */
function totalsOf({passed, testResults}: TestSession): Totals {
  const tests = testResults ? testsIn(testResults) : [];
  const passedTests = tests.filter((test) => test.passed).length;
  const failedTests = tests.length - passedTests;
  return {passed: passedTests, failed: passed ? failedTests : Math.max(failedTests, 1)};
}

/**
 * Prints a line such as "Chrome: 12 passed, 0 failed" for each browser. CI reads these lines, so their form must stay.
 */
export const totals: Reporter = {
  reportTestFileResults({testFile, sessionsForTestFile}) {
    results[testFile] = Object.fromEntries(
      sessionsForTestFile.map((session) => [session.browser.name, totalsOf(session)]),
    );
    if (resultsFile) writeFileSync(resultsFile, JSON.stringify(results));
  },

  stop() {
    const ofBrowsers = Object.values(results).flatMap((totals) => Object.entries(totals));
    for (const [browser, files] of Map.groupBy(ofBrowsers, ([name]) => name)) {
      const sum = (key: keyof Totals) => files.reduce((total, [, file]) => total + file[key], 0);
      console.log(`${browser}: ${sum('passed')} passed, ${sum('failed')} failed`);
    }
  },
};
