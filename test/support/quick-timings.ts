/** The timings of deliveries for tests: in the same proportions, but a hundred times shorter. */
import {usualTimings, type Timings} from '../../server/config/timings.ts';

export const quickTimings: Timings = {
  ...usualTimings,
  // Long enough for a machine that is busy with other things: what times out is not what is tested.
  answerWait: 1_200,
  delivery: 2_000,
  settling: 500,
  lease: 4_000,
  firstRetry: 5,
  longestRetry: 40,
  firstBreak: 5,
  longestBreak: 40,
  firstWriteRetry: 1,
  longestWriteRetry: 20,
  busyPoll: 10,
  idlePoll: 20,
  storeReadings: 0,
  requestCounts: 20,
  digests: {every: 100, pause: 1, age: 200},
  addressUses: 20,
  evidenceKeys: 20,
  requestsEnd: 1_500,
  deliveriesEnd: 2_000,
};
