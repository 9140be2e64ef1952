/** The server as in production, with the store that the command line names. */
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readConfig} from '../../server/config/config.ts';
import {createObservationLog} from '../../server/observe/observation-log.ts';
import {createLog} from '../../server/observe/log.ts';
import {startServer} from '../../server/server.ts';
import {dataKey} from '../support/test-server.ts';
import {openBenchStore, upstreamUrl} from './bench-server.ts';

const config = readConfig({
  PUBLIC_URL: 'http://127.0.0.1',
  CALLERS: JSON.stringify([{user: 'acme', password: 'correct horse battery', cids: ['1001']}]),
  EMBED_ORIGINS: 'https://www.example.com',
  TOKEN_KEY: '0123456789abcdef0123456789abcdef',
  DATA_KEY: dataKey,
  // All layers are on, except those that would refuse or slow down a load from one address.
  RATE_LIMIT: '100000000',
  PROOF_OF_WORK: '0',
  PORT: '0',
  ...(upstreamUrl() && {
    UPSTREAM_URL: upstreamUrl(),
    UPSTREAM_USER: 'user',
    UPSTREAM_PASSWORD: 'password',
    UPSTREAM_CID: '1001',
  }),
});
const log = createLog(config.logLevel, join(mkdtempSync(join(tmpdir(), 'bench-')), 'log'));
const server = await startServer(config, createObservationLog(log).emit, await openBenchStore());
process.send!(server.port);
process.on('disconnect', () => process.exit(0));
