import {join} from 'node:path';
import {readFileSync} from 'node:fs';
import express, {type Express} from 'express';
import {reservedHeights} from '../form/reserved-heights.ts';

type Embed = {
  /** The script tag that a partner pastes into the page. */
  script: string;
  partner: string;
  /** The URL of the server. */
  publicUrl: string;
};

/**
 * A partner's site with a strict content security policy: nothing inline, and scripts only from the site itself and the
 * server. It has a landing page, and a playground that shows the form in several looks with the snippet for each.
 */
export function landingPage({script, partner, publicUrl}: Embed): Express {
  const folder = import.meta.dirname;
  const policy = `default-src 'self'; script-src 'self' ${publicUrl}; connect-src 'self' ${publicUrl}`;
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set({'Content-Security-Policy': policy, 'Cache-Control': 'no-cache'});
    next();
  });
  for (const [path, file] of [
    ['/', 'landing.html'],
    ['/playground', 'playground.html'],
  ] as const) {
    app.get(path, (_request, response) => {
      const html = readFileSync(join(folder, file), 'utf8');
      response.type('html').send(html.replace('{{script}}', script).replace('{{partner}}', partner));
    });
  }
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).end();
  });
  app.get('/reserved-heights.js', (_request, response) => {
    response.type('js').send(`export const reservedHeights = ${JSON.stringify(reservedHeights)};`);
  });
  for (const file of ['landing.css', 'landing.js', 'playground.css', 'playground.js']) {
    app.get(`/${file}`, (_request, response) => response.sendFile(join(folder, file)));
  }
  return app;
}
