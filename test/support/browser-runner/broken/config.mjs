/** The settings of the widget's tests, for files that fail in different ways, with a time limit that one exceeds. */
import widget from '../../../../web-test-runner.config.mjs';

export default {
  ...widget,
  files: ['test/support/browser-runner/broken/*.ts'],
  testFramework: {config: {timeout: 0}},
  testsFinishTimeout: 5_000,
};
