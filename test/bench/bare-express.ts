/** A baseline: Express with only a JSON echo, and a route that always returns the same object. */
import express from 'express';
import {ready, result} from './bench-server.ts';

const app = express().disable('etag').disable('x-powered-by');
app.post('/json/leads', express.json(), (request, response) => {
  response.status(201).json(request.body);
});
app.get('/json/leads/:id', (_request, response) => {
  response.json(result);
});
ready(app.listen(0, '127.0.0.1'));
