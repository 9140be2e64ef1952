/** Prints how many tests passed and failed in each browser, which the runner itself prints only while it runs. */
import type {Reporter, TestSession, TestSuiteResult} from '@web/test-runner';

const testsIn = (suite: TestSuiteResult): TestSuiteResult['tests'] => [
  ...suite.tests,
  ...suite.suites.flatMap(testsIn),
];

/**
 * What a file adds to the totals. A file can fail although none of its tests failed: it could not be loaded, did not
 * end in time, or left its page. That counts as one failure, or else the totals would not show it.
 */
function totalsOf({passed, testResults}: TestSession) {
  const tests = testResults ? testsIn(testResults) : [];
  const passedTests = tests.filter((test) => test.passed).length;
  const failedTests = tests.length - passedTests;
  return {passed: passedTests, failed: passed ? failedTests : Math.max(failedTests, 1)};
}

/**
 * Prints a line such as "Chrome: 12 passed, 0 failed" for each browser. CI reads these lines, so their form must stay.
 */
export const totals: Reporter = {
  stop({sessions}) {
    for (const [browser, files] of Map.groupBy(sessions, (session) => session.browser.name)) {
      const all = files.map(totalsOf);
      const sum = (key: 'passed' | 'failed') => all.reduce((total, file) => total + file[key], 0);
      console.log(`${browser}: ${sum('passed')} passed, ${sum('failed')} failed`);
    }
  },
};
