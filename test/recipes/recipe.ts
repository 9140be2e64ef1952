/** Reads the code of a recipe in docs/recipes/, and runs a receiver. */
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {freePort} from '../support/free-port.ts';
import {makeTemporaryFolder} from '../support/temporary-folder.ts';
import {until} from '../support/until.ts';
import {headersOf, type SentEvent} from './event.ts';

/** @param kind what stands behind `js` in the first line of the block */
export function codeOf(recipe: string, kind = ''): string {
  const text = readFileSync(new URL(`../../docs/recipes/${recipe}.md`, import.meta.url), 'utf8');
  const [, code] = new RegExp(`^\`\`\`js ?${kind}\\n([^]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  if (code === undefined) throw new Error(`docs/recipes/${recipe}.md has no such code`);
  return code;
}

export type Receiver = {
  /** Sends a signed event, as the webhook does. */
  send(event: SentEvent, headers?: Record<string, string>): Promise<Response>;
  /** Ends it, and starts it again with the same files. */
  restart(): Promise<void>;
  /** What it has printed so far. */
  printed(): string;
  close(): Promise<void>;
};

/** A folder as a customer has it: with the receiver of a recipe and the packages that it needs. */
function makeFolder(recipe: string) {
  const folder = makeTemporaryFolder();
  writeFileSync(join(folder.path, 'receiver.mjs'), codeOf('README'));
  writeFileSync(join(folder.path, `${recipe}.mjs`), codeOf(recipe));
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(folder.path, 'node_modules'),
  );
  return folder;
}

/** What the receiver of a recipe prints when it does not start with such settings. */
export function refusalToStart(recipe: string, settings: Record<string, string>): string {
  const folder = makeFolder(recipe);
  try {
    const env = {...settings, PORT: '0'};
    const {status, stderr} = spawnSync(process.execPath, [`${recipe}.mjs`], {
      cwd: folder.path,
      env,
      timeout: 20_000,
    });
    if (status !== 1) throw new Error(`${recipe}.mjs started`);
    return String(stderr);
  } finally {
    folder.remove();
  }
}

/** Runs the receiver of a recipe. */
export async function startReceiver(recipe: string, settings: Record<string, string>): Promise<Receiver> {
  const folder = makeFolder(recipe);
  const port = await freePort();

  let printed = '';
  async function start() {
    const child = spawn(process.execPath, [`${recipe}.mjs`], {
      cwd: folder.path,
      env: {...settings, PORT: String(port)},
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await until(() => isListening(port), `${recipe}.mjs listens`);
    return child;
  }
  let child = await start();
  async function stop() {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill()) await ended;
  }
  return {
    send: (event, headers = headersOf(event)) =>
      fetch(`http://127.0.0.1:${port}/`, {method: 'POST', headers, body: event.body}),
    printed: () => printed,
    async restart() {
      await stop();
      child = await start();
    },
    async close() {
      await stop();
      folder.remove();
    },
  };
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .on('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .on('error', () => resolve(false));
  });
