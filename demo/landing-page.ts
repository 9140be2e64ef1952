import {join} from 'node:path';
import {readFileSync} from 'node:fs';
import express, {type Express} from 'express';

type Embed = {
  /** The script tag a partner pastes. */
  script: string;
  partner: string;
  /** Where the lead service is reached. */
  publicUrl: string;
};

/**
 * A partner's site, with the policy of one that cares: nothing inline, scripts from itself and from us. Beside
 * the landing page it has the playground, where the form is given a look and its snippet is written.
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
  for (const file of ['landing.css', 'landing.js', 'playground.css', 'playground.js']) {
    app.get(`/${file}`, (_request, response) => response.sendFile(join(folder, file)));
  }
  return app;
}
