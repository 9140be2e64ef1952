/**
 * Runs the files of this folder, of which all but one fail, each in another way, with the settings of the widget's
 * tests. The time limit is short, because one of the files never ends.
 */
import widget from '../../../../web-test-runner.config.mjs';
import {filesToRun} from '../totals.ts';

export default {
  ...widget,
  files: filesToRun('test/support/browser-runner/broken/*.ts'),
  testFramework: {config: {timeout: 0}},
  testsFinishTimeout: 10_000,
};
