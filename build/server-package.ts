/**
 * Builds the npm package for servers into `dist/npm-server/`: the modules of the server as JavaScript, because Node strips
 * no types below `node_modules`, in the same folders, so that they find their other files and `releases/` as in the
 * repository.
 */
import {chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {stripTypeScriptTypes} from 'node:module';
import {dirname, join} from 'node:path';
import {rolldown} from 'rolldown';
import {dts} from 'rolldown-plugin-dts';

const outDir = 'dist/npm-server';
const root = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  license: string;
  engines: object;
  dependencies: Record<string, string>;
};
const command = 'server/lead-prequal.cjs';

const write = (name: string, content: string) => {
  mkdirSync(dirname(join(outDir, name)), {recursive: true});
  writeFileSync(join(outDir, name), content);
};
/** Imports, threads and processes name their files. */
const nameJavaScript = (code: string) => code.replaceAll(/\.ts(?=['"`])/g, '.js');

rmSync(outDir, {recursive: true, force: true});

// As Node itself does when it runs the repository: the types become spaces, so lines in errors are those of the source.
for (const file of globSync('{calculator,contract,form,server}/**/*.ts'))
  write(
    file.replace(/ts$/, 'js'),
    nameJavaScript(stripTypeScriptTypes(readFileSync(file, 'utf8'))).replaceAll(/ +$/gm, ''),
  );

const types = await rolldown({
  input: {'server/index': './server/index.ts'},
  external: /^[^./]/,
  plugins: [dts({emitDtsOnly: true, oxc: true, tsconfig: 'server/tsconfig.json'})],
});
await types.write({dir: outDir});
await types.close();

// What is no module: style sheets, pictures, scripts of pages.
for (const file of globSync('server/{http,pages}/**/*.{css,js,png,svg}')) copy(file);
cpSync('releases', join(outDir, 'releases'), {recursive: true});
write(command, nameJavaScript(readFileSync(command, 'utf8')));
chmodSync(join(outDir, command), 0o755);
copy('LICENSE');

/** The only package with an install script is brought along without it, and without what the server does not serve. */
const bundled = 'swagger-ui-dist';
for (const file of [
  'LICENSE',
  'NOTICE',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
])
  copy(`node_modules/${bundled}/${file}`);
write(
  `node_modules/${bundled}/package.json`,
  JSON.stringify({name: bundled, version: root.dependencies[bundled], license: 'Apache-2.0'}),
);

/** What the form is built of, and what the repository has in place of the script of `swagger-ui-dist`. */
const notNeeded = ['lit', '@scarf/scarf'];
const dependencies = Object.fromEntries(
  Object.entries(root.dependencies).filter(([name]) => !notNeeded.includes(name)),
);
const packageJson = {
  name: 'lead-prequal-server',
  version: root.version,
  description: 'A lead service for funding pre-qualification, with the form that partners embed',
  license: root.license,
  type: 'module',
  engines: root.engines,
  bin: {'lead-prequal-server': command, 'lead-prequal': command},
  exports: {
    '.': {types: './server/index.d.ts', default: './server/index.js'},
    './package.json': './package.json',
  },
  dependencies,
  bundleDependencies: [bundled],
};
write('package.json', `${JSON.stringify(packageJson, null, 2)}\n`);

/** The guide to this package. The other pages of the docs are not in it, so what links to one becomes text. */
const [, guide = ''] = /^## A package\n(.*?)^## /ms.exec(readFileSync('docs/install.md', 'utf8')) ?? [];
write(
  'README.md',
  `# lead-prequal-server\n${guide.replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1').trimEnd()}\n`,
);

function copy(file: string) {
  mkdirSync(dirname(join(outDir, file)), {recursive: true});
  cpSync(file, join(outDir, file));
}
