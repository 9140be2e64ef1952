/** An upstream that replies at once, so that only the hop to it is measured. */
import {createServer} from 'node:http';
import {ready} from './bench-server.ts';
import {amounts} from '../support/sample-leads.ts';

let count = 0;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const isCreate = request.method === 'POST';
    response.writeHead(isCreate ? 201 : 200, {'Content-Type': 'application/json'});
    response.end(JSON.stringify(isCreate ? {id: String((count += 1))} : {first_name: 'Ana', ...amounts}));
  });
});
ready(server.listen(0, '127.0.0.1'));
