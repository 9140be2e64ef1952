/**
 * `npm run release`: makes a release of the built form, with the version in package.json. It copies the scripts of
 * `dist/embed/<version>` to `releases/<version>`, which is part of the repository, packs `dist/npm` beside them, and adds
 * the hashes that pages pin to `releases/hashes.json`. Every later server serves the release. A mistake in it is corrected
 * by the next version.
 */
import {execFileSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {firstFiles, packageFile} from '../contract/api.ts';
import {hashesFile, integrityOf, outDir, refuseReleased, releasedHashes} from './output.ts';

const version = basename(outDir);
const release = join('releases', version);

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}

refuseReleased();
if (!existsSync(join(outDir, 'manifest.json'))) refuse(`${outDir} is missing: run "npm run build" first.`);
const packageJson = 'dist/npm/package.json';
const built = existsSync(packageJson) && (JSON.parse(readFileSync(packageJson, 'utf8')) as {version: string});
if (!built || built.version !== version) refuse(`dist/npm is not ${version}: run "npm run build" first.`);

// An interrupted build, or one that was edited by hand, must not become a release.
const {integrity} = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};
for (const [file, expected] of Object.entries(integrity)) {
  if (integrityOf(file, readFileSync(join(outDir, file))) !== expected)
    refuse(`${join(outDir, file)} is not what its manifest says: build it again.`);
}

// Copies to another name first, so that an interrupted copy does not look like a release.
const unfinished = join('dist', `release-${version}`);
rmSync(unfinished, {recursive: true, force: true});
mkdirSync(unfinished, {recursive: true});
for (const file of Object.keys(integrity)) copyFileSync(join(outDir, file), join(unfinished, file));
const pack = ['pack', './dist/npm', '--pack-destination', unfinished, '--json', '--ignore-scripts'];
const [packed] = JSON.parse(execFileSync('npm', pack, {encoding: 'utf8'})) as [
  {filename: string; integrity: string},
];
renameSync(join(unfinished, packed.filename), join(unfinished, packageFile));
const manifest = {version, integrity, package: packed.integrity};
writeFileSync(join(unfinished, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
mkdirSync('releases', {recursive: true});
renameSync(unfinished, release);
const pinned = Object.entries(integrity).filter(([file]) => firstFiles.includes(file));
const hashes = {...releasedHashes(), [version]: Object.fromEntries(pinned)};
writeFileSync(hashesFile, `${JSON.stringify(hashes, null, 2)}\n`);
console.log(
  `${release} is made. Commit it and ${hashesFile}, and raise the version in package.json: ${version} is never built again.`,
);
