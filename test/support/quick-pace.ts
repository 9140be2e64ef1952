/** The pace of deliveries for tests: the same order of things, a hundred times faster. */
import {usualPace, type Pace} from '../../server/delivery/pace.ts';

export const quickPace: Pace = {
  ...usualPace,
  patience: 100,
  delivery: 500,
  settling: 100,
  lease: 1_000,
  firstWait: 5,
  longestWait: 40,
  firstBreak: 5,
  longestBreak: 40,
  firstRewrite: 1,
  longestRewrite: 20,
  tick: 10,
  idle: 20,
  end: 2_000,
};
