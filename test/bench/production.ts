/** The server as in production, with the store that the command line names. */
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readConfig} from '../../server/config/config.ts';
import {createObservationLog} from '../../server/observe/observation-log.ts';
import {createLog} from '../../server/observe/log.ts';
import {startServer} from '../../server/server.ts';
import {writeConfig} from '../support/config-file.ts';
import {caller, dataKey, inFile} from '../support/test-server.ts';
import {openBenchStore, upstreamUrl} from './bench-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const answered = upstreamUrl() && {answer_from: 'upstream'};
const upstream = {type: 'lead-api', url: upstreamUrl(), cid: '1001', credentials: 'UPSTREAM'};
const acme = caller({user: 'acme', password: 'correct horse battery', cids: ['1001']});
const config = readConfig({
  PUBLIC_URL: 'http://127.0.0.1',
  DATA_KEY: dataKey,
  PORT: '0',
  // All layers are on, except those that would refuse or slow down a load from one address.
  CONFIG_FILE: writeConfig(
    folder,
    [{key: 'default', origins: ['https://www.example.com'], ...answered}],
    upstreamUrl() ? {upstream} : {},
    {callers: [{...inFile(acme), ...answered}], rate_limit: 100_000_000},
  ),
  CREDENTIALS_UPSTREAM_USER: 'user',
  CREDENTIALS_UPSTREAM_PASSWORD: 'password',
});
const log = createLog(config.logLevel, join(folder, 'log'));
const server = await startServer(config, createObservationLog(log).emit, await openBenchStore());
process.send!(server.port);
process.on('disconnect', () => process.exit(0));
