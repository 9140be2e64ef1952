/**
 * Runs the files of this folder, which fail in different ways, with the settings of the widget's tests. The time limit
 * is short, because one of the files never ends.
 */
import widget from '../../../../web-test-runner.config.mjs';

export default {
  ...widget,
  files: ['test/support/browser-runner/broken/*.ts'],
  testFramework: {config: {timeout: 0}},
  testsFinishTimeout: 5_000,
};
