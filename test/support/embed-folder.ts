/** Writes folders such as `npm run build` does, with versions of the form for the server. */
import {createHash} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

const integrityOf = (hash: string, content: string | Buffer) =>
  `${hash}-${createHash(hash).update(content).digest('base64')}`;

export const sha384 = (text: string) => integrityOf('sha384', text);

/** The same hash of a file as another, such as `sha256-…`. */
export const sameHashOf = (content: string | Buffer, other: string) =>
  integrityOf(other.split('-')[0] ?? '', content);

/** @param files by name. Scripts and the plugin for WordPress are in the manifest, as in a real build */
export function makeEmbedVersion(
  embedFolder: string,
  version: string,
  files: Readonly<Record<string, string>>,
) {
  const folder = join(embedFolder, version);
  mkdirSync(folder, {recursive: true});
  const integrity: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
    if (/\.(js|zip)$/.test(name)) integrity[name] = sha384(text);
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({version, integrity}));
}
