import {join} from 'node:path';
import {readFileSync} from 'node:fs';
import express, {type Express} from 'express';
import {paths} from '../contract/api.ts';

type Embed = {
  /** The script tag that a partner pastes into the page. */
  script: string;
  partner: string;
  /** The URL of the server. */
  publicUrl: string;
};

/**
 * A partner's landing page with a strict content security policy: nothing inline, and scripts only from the site itself
 * and the server. The page of snippets is a part of the server.
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
  app.get('/', (_request, response) => {
    const html = readFileSync(join(folder, 'landing.html'), 'utf8');
    const values: Record<string, string> = {script, partner, apply: `${publicUrl}${paths.apply}/${partner}`};
    response.type('html').send(html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ''));
  });
  app.get('/playground', (_request, response) => {
    response.redirect(`${publicUrl}${paths.snippets}?partner=${partner}`);
  });
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).end();
  });
  for (const file of ['landing.css', 'landing.js']) {
    app.get(`/${file}`, (_request, response) => response.sendFile(join(folder, file)));
  }
  return app;
}
