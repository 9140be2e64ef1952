/** The pace of deliveries for tests: the same order of things, a hundred times faster. */
import {usualPace, type Pace} from '../../server/delivery/pace.ts';

export const quickPace: Pace = {
  ...usualPace,
  patience: 100,
  // Long enough for a machine that is busy with other things: what times out is not what is tested.
  delivery: 2_000,
  settling: 500,
  lease: 4_000,
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
