/** Reads deploy/Dockerfile, and does what it says in a folder: each instruction that it uses, and no other. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {appendFileSync, mkdirSync, readFileSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {makeScratchRoot, runIn, type Surroundings} from './scratch-root.ts';

type Instruction = {name: string; text: string};

/** The instructions of a Dockerfile, without comments; a line that ends in a backslash goes on in the next one. */
export const instructionsOf = (dockerfile: string): Instruction[] =>
  dockerfile
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return {name, text};
    });

/** What the root folder of an image has besides files. */
export type Image = {
  root: string;
  environment: Record<string, string>;
  folder: string;
  user: string;
  volumes: string[];
  entrypoint: string[];
  command: string[];
  health: string[];
};

/** A list in JSON, which is started as it is, without a shell. */
const execForm = (text: string) => JSON.parse(text) as string[];
const words = (text: string) => text.split(/\s+/);

/** The files that .dockerignore lets an image have: it must forbid all files, and then allow some by their names. */
function allowedFiles(repository: string): string[] {
  const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8');
  const [all, ...allowed] = ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(all, '*');
  return allowed.map((line) => {
    assert.match(line, /^![\w./-]+$/);
    return line.slice(1);
  });
}

/** Copies a folder's content, or a file, as COPY does: it belongs to root, who runs this. */
function copy(source: string, target: string) {
  mkdirSync(dirname(target), {recursive: true});
  execFileSync('cp', ['-RPT', '--preserve=mode,timestamps', source, target]);
}

/** @param folder gets a root folder for each stage, and what the image may have of the repository */
export async function buildImage(repository: string, folder: string, network: Surroundings): Promise<Image> {
  const context = join(folder, 'context');
  for (const file of allowedFiles(repository)) copy(join(repository, file), join(context, file));
  const stages = new Map<string, Image>();
  let image: Image | undefined;

  function begin(text: string): Image {
    const [, from = '', name = 'last'] = /^(\S+)(?: AS (\w+))?$/.exec(text) ?? [];
    const root = join(folder, `stage-${name}`);
    const earlier = stages.get(from);
    // Stages share their files: no instruction changes one, they only add and replace.
    if (earlier) execFileSync('cp', ['-a', '--link', earlier.root, root]);
    else {
      assert.equal(from, `node:${process.versions.node}-slim`);
      makeScratchRoot(root);
      appendFileSync(join(root, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/bash\n');
    }
    const none = {
      environment: {},
      folder: '/',
      user: '0:0',
      volumes: [],
      entrypoint: [],
      command: [],
      health: [],
    };
    const begun = {...structuredClone(earlier ?? none), root};
    stages.set(name, begun);
    return begun;
  }

  const steps: Record<string, (image: Image, text: string) => unknown> = {
    WORKDIR(stage, text) {
      stage.folder = text;
      mkdirSync(join(stage.root, text), {recursive: true});
    },
    COPY(stage, text) {
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? [];
      const sources = words(paths);
      const target = resolve(stage.folder, sources.pop()!);
      for (const source of sources) {
        const path = from ? join(stages.get(from)!.root, source) : join(context, source);
        const into = sources.length > 1 ? join(target, basename(source)) : target;
        copy(path, join(stage.root, into));
      }
    },
    async RUN(stage, text) {
      const {root, environment, folder} = stage;
      const ended = await runIn(root, ['/bin/sh', '-c', text], {
        ...network,
        folder,
        environment: {...network.environment, ...environment},
      });
      assert.equal(ended.code, 0, `RUN ${text}\n${ended.output}${ended.errors}`);
    },
    ENV(stage, text) {
      for (const pair of words(text)) {
        const [name = '', value = ''] = pair.split('=');
        stage.environment[name] = value;
      }
    },
    VOLUME: (stage, text) => stage.volumes.push(...words(text)),
    USER: (stage, text) => (stage.user = text),
    ENTRYPOINT: (stage, text) => (stage.entrypoint = execForm(text)),
    CMD: (stage, text) => (stage.command = execForm(text)),
    HEALTHCHECK: (stage, text) => (stage.health = execForm(text.slice(text.indexOf('CMD ') + 4))),
    // It says which port to publish, and does nothing.
    EXPOSE: (stage, text) => assert.equal(text, stage.environment['PORT']),
  };
  for (const {name, text} of instructionsOf(readFileSync(join(repository, 'deploy/Dockerfile'), 'utf8'))) {
    if (name === 'FROM') image = begin(text);
    else {
      const step = steps[name];
      assert.ok(step && image, `the test cannot do ${name} ${text}`);
      await step(image, text);
    }
  }
  return image!;
}
