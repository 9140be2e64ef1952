/** Writes pages, errors and downloads as responses. */
import {randomBytes, randomInt} from 'node:crypto';
import {posix} from 'node:path';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import type {ErrorRequestHandler, Request, Response} from 'express';
import {problems} from '../../contract/problems.ts';
import {Refusal} from '../admin/admin.ts';
import {printable} from '../admin/visible.ts';
import {html, Html} from '../html/html.ts';
import {compressAt, encodings} from '../http/embed/compression.ts';
import {observedProblem, type WriteProblem} from '../http/problem-replies.ts';
import {ProblemError, retryAfter} from '../leads/problem-error.ts';
import type {Emit} from '../observe/observations.ts';
import {gate} from './layout.ts';
import type {Reply} from './visit.ts';

/** Each page is another one, so it is compressed each time: this takes a tenth of the time of the highest quality. */
const compress = compressAt(5, 6);

/** Compresses beside the main thread. */
export async function sendText(
  request: Request,
  response: Response,
  type: string,
  text: string,
): Promise<void> {
  const accepted = request.acceptsEncodings([...encodings]);
  const encoding = encodings.find((each) => each === accepted);
  const bytes = Buffer.from(text);
  const body = encoding ? await compress(bytes, encoding) : bytes;
  if (encoding) response.set('Content-Encoding', encoding);
  response.vary('Accept-Encoding').type(type).send(body);
}

export const sendPage = (request: Request, response: Response, page: Html, status = 200): Promise<void> =>
  sendText(request, response.status(status), 'html', page.text);

/** The way to another page, by GET. Express would write a text that repeats the address. */
export const goTo = (response: Response, to: string): void =>
  void response.status(303).set('Location', to).end();

/** Only a path of these pages: anything else could lead to another site. */
export const isLocalPath = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= 2_048 && /^\/(?!\/)[\w/?=&%.~+#-]*$/.test(text);

/** Path and query of the page of ours from which a request comes, as far as the browser says so. */
export function pageBefore(request: Request): string | undefined {
  const from = URL.parse(request.get('Referer') ?? '');
  // Without the port, which the Host header may lack.
  const page = from?.hostname === request.hostname ? `${from?.pathname}${from?.search}` : undefined;
  return isLocalPath(page) ? page : undefined;
}

/** Bytes. */
const maxPadding = 192;
/**
 * Without it, the length of a compressed page would tell whoever can count its bytes, and choose its address, whether a text
 * of the address stands on the page as well.
 */
const padding = () => new Html(`<!--${randomBytes(randomInt(maxPadding + 1)).toString('base64')}-->`);

export async function sendReply(request: Request, response: Response, reply: Reply): Promise<void> {
  if ('page' in reply) return sendPage(request, response, html`${reply.page}${padding()}`);
  if ('download' in reply) return sendDownload(response, reply);
  if (!isLocalPath(reply.to)) throw new Error('A page leads to another site');
  goTo(response, reply.to);
}

/** The text is made as fast as the browser takes it. If the browser leaves, whatever makes the text is ended. */
async function sendDownload(response: Response, {download, name, type}: Extract<Reply, {download: unknown}>) {
  const parts = download[Symbol.asyncIterator]();
  // What is refused is refused before the first part. Later, only a broken connection could say so.
  const first = await parts.next();
  const rest = {[Symbol.asyncIterator]: () => parts};
  async function* all() {
    if (first.done) return;
    yield first.value;
    yield* rest;
  }
  response.attachment(name).type(type);
  await pipeline(Readable.from(all(), {objectMode: true, highWaterMark: 1}), response).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    },
  );
}

export const messageOf = (title: string, text: string): Html =>
  html`<h1>${title}</h1>
    <p>${text}</p>`;

/** Why there is no page, in words. */
type Failure = {status: number; title: string; text: string; choices?: readonly string[]; headers?: object};

export async function sendFailure(
  request: Request,
  response: Response,
  {status, title, text, choices = [], headers = {}}: Failure,
): Promise<void> {
  // Strangers get the same bytes from everywhere.
  const [from] = (response.locals['seen'] ? pageBefore(request)?.split('?') : undefined) ?? [];
  // Whoever has just signed in has no page to go back to, but the one above, such as that of the lead.
  const page = from === '/sign-in' ? posix.dirname(request.path) : from;
  const back = isLocalPath(page) ? page : undefined;
  const content = html`${messageOf(title, text)}
    ${
      choices.length > 0 &&
      html`<ul>
        ${choices.map((choice) => html`<li>${printable(choice)}</li>`)}
      </ul>`
    }
    <p class="row">
      ${back !== undefined && html`<a class="btn main" href="${back}">Back</a>`}<a class="btn" href="/"
        >Overview</a
      >
    </p>`;
  response.set(headers);
  await sendPage(request, response, gate(title, content), status);
}

/** For a request of which nothing can be read, not even who has sent it. */
export const problemPage: WriteProblem = ({title, detail}) => ({
  type: 'text/html; charset=utf-8',
  body: gate(title, messageOf(title, detail)).text,
});

export const notFound = () => new Refusal('There is nothing at this address for you.', 'unknown');

function failureOf(error: unknown, request: Request, emit: Emit): Failure {
  if (error instanceof Refusal) {
    const isUnknown = error.kind === 'unknown';
    return {
      status: isUnknown ? 404 : 409,
      title: isUnknown ? 'There is nothing here' : 'That cannot be done now',
      text: printable(error.message),
      choices: error.choices,
    };
  }
  const {code, message, extras} = observedProblem(error, request, emit);
  const [status, title] = problems[code];
  if (code === 'store-unavailable')
    return {
      status,
      title: 'The store cannot be asked',
      text: 'The database does not answer. Leads that were stored are safe. Try again shortly.',
      ...retryAfter(5),
    };
  const text = error instanceof ProblemError ? message : 'The log of these pages says why.';
  return {status, title, text, headers: extras.headers ?? {}};
}

/** Express's error handler. */
export function errorPages(emit: Emit): ErrorRequestHandler {
  // Express takes a function for an error handler only if it has four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  return async (error: unknown, request, response, _next) => {
    const failure = failureOf(error, request, emit);
    // A download that has begun is cut off, so that nobody takes it for whole.
    if (response.headersSent) return void response.destroy();
    await sendFailure(request, response, failure);
  };
}
