/** A raw connection, for requests that arrive in pieces, too slowly, or are not valid HTTP. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {connect} from 'node:net';
import {assertDeclared, type Answer} from './declared.ts';
import {until} from './until.ts';

export type Connection = {
  send(text: string): void;
  /** Resolves when the server has asked for the body of a request that said `Expect: 100-continue`. */
  continued(): Promise<void>;
  /** The next response. Its body must have a Content-Length. Fails if OpenAPI does not declare it. */
  answer(): Promise<Response>;
  /** Resolves when the server has closed the connection, to the responses that were not read before. */
  ended(): Promise<Response[]>;
  close(): void;
};

/** The text of a request as it is sent. */
export function requestText(method: string, path: string, headers: Record<string, string>, body = '') {
  const lines = Object.entries({host: '127.0.0.1', ...headers}).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The first complete response in a text, and where the next one begins. */
function parse(received: string): {answer: Answer; end: number} | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: */, 2) as [string, string]));
  const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (received.length < bodyEnd) return undefined;
  const body = Buffer.from(received.slice(headEnd + 4, bodyEnd), 'latin1').toString();
  return {answer: {status: Number(first.split(' ')[1]), headers, body}, end: bodyEnd};
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  const requests: [method: string, path: string][] = [];
  let received = '';
  let closed = false;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => (received += text));
  // A server that cuts a connection off may reset it.
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  await once(socket, 'connect');

  function take(): Answer | undefined {
    const parsed = parse(received);
    received = received.slice(parsed?.end ?? 0);
    return parsed?.answer;
  }
  async function next(): Promise<Answer> {
    let answer: Answer | undefined;
    await until(() => (answer = take()) !== undefined || closed);
    assert.ok(answer, 'the connection was closed without an answer');
    return answer;
  }
  function checked(answer: Answer): Response {
    const [method, path] = requests.shift() ?? [];
    if (method && path) assertDeclared(method, path, answer);
    return new Response(answer.body, answer);
  }

  return {
    send(text) {
      for (const [, method, path] of text.matchAll(/^([A-Z]+) (\S+) HTTP\/1\.1\r$/gm)) {
        requests.push([method!, path!]);
      }
      socket.write(text);
    },
    continued: async () => assert.equal((await next()).status, 100),
    answer: async () => checked(await next()),
    async ended() {
      await until(() => closed);
      const answers = [];
      for (let answer = take(); answer; answer = take()) answers.push(checked(answer));
      return answers;
    },
    close: () => void socket.destroy(),
  };
}
