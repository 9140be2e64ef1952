/** The source maps of the built form. `npm run build` keeps none, so they come from a second build, in memory. */
import {readFileSync} from 'node:fs';
import {SourceMap, type SourceMapPayload} from 'node:module';
import {join} from 'node:path';
import {build, type Rolldown} from 'vite';
import {scriptsOf} from '../../build/output.ts';
import {embed} from '../../vite.config.ts';

/**
 * @param folder a built form
 * @returns the source maps by the names of the scripts. A script that is not built from today's sources has none
 */
export async function sourceMapsOf(folder: string): Promise<ReadonlyMap<string, SourceMap>> {
  const results = await build({...embed, build: {...embed.build, write: false}});
  const [{output}] = results as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  const maps = new Map<string, SourceMap>();
  for (const [name, code] of scriptsOf(output)) {
    const map = output.find(({fileName}) => fileName === `${name}.map`);
    if (map?.type !== 'asset' || !isIn(folder, name, code)) continue;
    maps.set(name, new SourceMap(JSON.parse(String(map.source)) as SourceMapPayload));
  }
  return maps;
}

function isIn(folder: string, name: string, code: string): boolean {
  try {
    return readFileSync(join(folder, name), 'utf8') === code;
  } catch {
    return false;
  }
}
