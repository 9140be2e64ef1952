/** An upstream that replies at once, so that only the hop to it is measured. */
import {createServer} from 'node:http';
import {ready, result} from './bench-server.ts';

let count = 0;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const isCreate = request.method === 'POST';
    response.writeHead(isCreate ? 201 : 200, {'Content-Type': 'application/json'});
    response.end(JSON.stringify(isCreate ? {id: String((count += 1))} : result));
  });
});
ready(server.listen(0, '127.0.0.1'));
