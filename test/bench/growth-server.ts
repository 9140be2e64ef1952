/** The server as `node server/main.ts`, with a sweep that begins at once and goes on, or with none. */
import {readConfig} from '../../server/config/config.ts';
import {usualTimings} from '../../server/config/timings.ts';
import {createLog} from '../../server/observe/log.ts';
import {createObservationLog} from '../../server/observe/observation-log.ts';
import {startServer} from '../../server/server.ts';

const config = readConfig();
const {emit} = createObservationLog(createLog('error'));
const sweepEvery = process.argv[2] === 'sweeping' ? 1 : 2 ** 30;
const server = await startServer(config, emit, undefined, {...usualTimings, sweepEvery});
process.send!(server.port);
process.on('disconnect', () => process.exit(0));
