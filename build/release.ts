/**
 * `npm run release`: makes a release of the built form, with the version in package.json. It copies
 * `dist/embed/<version>` to `releases/<version>`, which is part of the repository. Every later server serves it, and no
 * later build may change it, because partners' pages pin its files by their hashes.
 */
import {createHash} from 'node:crypto';
import {cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';

const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
const built = join('dist/embed', version);
const release = join('releases', version);

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}

if (existsSync(release)) refuse(`${version} is released: raise the version in package.json.`);
if (!existsSync(join(built, 'manifest.json'))) refuse(`${built} is missing: run "npm run build" first.`);

// An interrupted build, or one that was edited by hand, must not become a release.
const {integrity} = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as {
  integrity: Record<string, string>;
};
for (const [file, expected] of Object.entries(integrity)) {
  const actual = createHash('sha384')
    .update(readFileSync(join(built, file)))
    .digest('base64');
  if (`sha384-${actual}` !== expected)
    refuse(`${join(built, file)} is not what its manifest says: build it again.`);
}

// Copies to another name first, so that an interrupted copy does not look like a release.
const unfinished = join('dist', `release-${version}`);
rmSync(unfinished, {recursive: true, force: true});
cpSync(built, unfinished, {recursive: true});
mkdirSync('releases', {recursive: true});
renameSync(unfinished, release);
console.log(
  `${release} is made. Commit it, and raise the version in package.json: ${version} is never built again.`,
);
