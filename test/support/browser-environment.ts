/**
 * The environment of the browsers in tests. They see one family of fonts, which comes with the packages, because lines
 * break elsewhere in other fonts, and a minimal machine has none. Language and time zone are fixed, too.
 */
import {mkdirSync, renameSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const fonts = dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')));

/** Maps the generic names of CSS to fonts of this family. */
const configuration = (cache: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${cache}</cachedir>
${[
  ['sans-serif', 'DejaVu Sans'],
  ['system-ui', 'DejaVu Sans'],
  ['serif', 'DejaVu Serif'],
  ['monospace', 'DejaVu Sans Mono'],
]
  .map(
    ([generic, family]) =>
      `  <alias><family>${generic}</family><prefer><family>${family}</family></prefer></alias>`,
  )
  .join('\n')}
  <!-- Where no family is asked for, as Chromium does for the fonts of the system. -->
  <match target="pattern">
    <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
  </match>
</fontconfig>
`;

/** Only Linux reads the configuration of fonts. */
export function browserEnvironment(): Record<string, string> {
  const folder = join(tmpdir(), 'lead-prequal-fonts');
  mkdirSync(folder, {recursive: true});
  const file = join(folder, 'fonts.conf');
  // Several test files may start browsers at the same moment, so the file appears only when it is complete.
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, configuration(join(folder, 'cache')));
  renameSync(partial, file);
  return {
    ...(process.env as Record<string, string>),
    FONTCONFIG_FILE: file,
    // In its sandbox, Firefox reads no fonts outside the folders of the system.
    MOZ_DISABLE_CONTENT_SANDBOX: '1',
    LANG: 'en_US.UTF-8',
    LANGUAGE: 'en_US:en',
    TZ: 'UTC',
  };
}
