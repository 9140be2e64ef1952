/** The server as `node server/main.ts`, whose sweep goes on without a pause between passes, while it is told to. */
import {readConfig} from '../../server/config/config.ts';
import {usualTimings} from '../../server/config/timings.ts';
import {createLog} from '../../server/observe/log.ts';
import {createObservationLog} from '../../server/observe/observation-log.ts';
import {startServer} from '../../server/server.ts';
import {openStore} from '../../server/store/open-store.ts';
import {testEncryptor} from '../support/test-server.ts';

const config = readConfig();
const {emit} = createObservationLog(createLog('error'));
const store = await openStore(config, testEncryptor, emit);
let told = Promise.withResolvers<void>();
let sweeps = false;
process.on('message', (word) => {
  if (word === 'sweep') told.resolve();
  // A slice may be waiting for this promise already, so only one that is kept is replaced.
  else if (sweeps) told = Promise.withResolvers<void>();
  sweeps = word === 'sweep';
});
const applyRetention: typeof store.applyRetention = async (...slice) => {
  await told.promise;
  return store.applyRetention(...slice);
};
const server = await startServer(
  config,
  emit,
  {...store, applyRetention},
  {...usualTimings, retentionEvery: 1},
);
process.send!(server.port);
process.on('disconnect', () => process.exit(0));
