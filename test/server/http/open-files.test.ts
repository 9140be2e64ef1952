/** Files that the server has open, for the system lets a process open only so many. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import {connect} from 'node:net';
import {suite, test} from 'node:test';
import {requestText} from '../../support/connection.ts';
import {until} from '../../support/until.ts';
import {useService} from '../../support/service-process.ts';

/** Fewer than a connection may have under way. */
const requests = 10;
const clients = 20;

suite('a client that asks for a file several times and leaves without reading it', () => {
  const service = useService();
  const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length;

  const files = ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/embed/1.0.0/lead-prequal-form.js'];
  for (const file of files) {
    test(`a client that leaves without reading leaves no file open: ${file}`, async () => {
      const before = openFiles();
      const port = Number(new URL(service.url).port);
      const sockets = Array.from({length: clients}, () => connect(port, '127.0.0.1'));
      await Promise.all(
        sockets.map(async (socket) => {
          await once(socket, 'connect');
          socket.write(requestText('GET', file, {}).repeat(requests));
          // The first bytes of the first answer: by now the server has seen all requests.
          await once(socket, 'readable');
        }),
      );
      for (const socket of sockets) socket.destroy();
      await until(() => openFiles() <= before);
      assert.ok(openFiles() <= before);
    });
  }
});
