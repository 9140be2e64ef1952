import {join} from 'node:path';
import {readFileSync} from 'node:fs';
import express, {type Express} from 'express';

type Embed = {
  /** The snippet for a page with a strict content security policy: the rules of its style sheet, and the form. */
  rules: string;
  form: string;
  /** The URL of the server. */
  publicUrl: string;
};

/**
 * A partner's landing page with a strict content security policy: nothing inline, and scripts only from the site itself
 * and the server.
 */
export function landingPage({rules, form, publicUrl}: Embed): Express {
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
    response.type('html').send(html.replace('{{form}}', () => form));
  });
  app.get('/form.css', (_request, response) => {
    response.type('css').send(rules);
  });
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).end();
  });
  app.get('/landing.css', (_request, response) => response.sendFile(join(folder, 'landing.css')));
  return app;
}
