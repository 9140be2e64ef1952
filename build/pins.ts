/** The modules that list later files: `pins.ts` and `<…>-pins.ts` in widget/loading/. */
import {resolve} from 'node:path';
import type {Pin} from '../widget/loading/pinned-import.ts';

export const loading = resolve('widget/loading');

export const isPins = (id: string) => id.startsWith(`${loading}/`) && /\bpins\.ts$/.test(id);

/** @returns the code of a module that lists later files, in which `pinFor` has replaced each pin */
export async function rewritePins(
  id: string,
  pinFor: (name: string, pin: Pin) => string | Promise<string>,
): Promise<string> {
  const exports = (await import(id)) as Record<string, Record<string, Pin> | string[]>;
  let code = '';
  for (const [name, value] of Object.entries(exports)) {
    if (Array.isArray(value)) {
      code += `export const ${name} = ${JSON.stringify(value)};\n`;
    } else {
      code += `export const ${name} = {`;
      for (const [key, pin] of Object.entries(value))
        code += `'${key}': ${await pinFor(pin.name ?? key, pin)},`;
      code += '};\n';
    }
  }
  return code;
}
