/** Loads the files that a visitor does not need before the first touch. */
import type * as DialogFile from '../dialog/index.ts';
import type {Advice, Advise} from '../page/advice.ts';
import type * as DebugFile from '../debug/index.ts';
import type * as OpaqueFrameFile from '../opaque-frame/index.ts';
import type * as KnownContactFile from '../fields/known-contact.ts';
import type * as HistoryFile from '../submission/form-history.ts';
import type * as SandboxFile from '../sandbox/index.ts';
import type * as TakeawayFile from '../takeaway/index.ts';
import type * as TouchedFormFile from '../submission/touched-form.ts';
import type * as OptionPins from './option-pins.ts';
import {importPinned, type Pin} from './pinned-import.ts';
import {laterFiles} from './pins.ts';

export {scriptOrigin} from './pinned-import.ts';

export const loadTouchedForm = () =>
  loadPinned(laterFiles['touched-form']) as Promise<typeof TouchedFormFile>;
export const loadTakeaway = () => loadPinned(laterFiles.takeaway) as Promise<typeof TakeawayFile>;

type OptionFiles = {
  'known-contact': typeof KnownContactFile;
  history: typeof HistoryFile;
  sandbox: typeof SandboxFile;
  dialog: typeof DialogFile;
  advice: Advice;
  'opaque-frame': typeof OpaqueFrameFile;
  debug: typeof DebugFile;
};

/** Loads a file that few pages need. */
export async function loadOption<Name extends keyof OptionFiles>(name: Name): Promise<OptionFiles[Name]> {
  const {optionFiles} = (await loadPinned(laterFiles.options)) as typeof OptionPins;
  return (await loadPinned(optionFiles[name])) as OptionFiles[Name];
}

/** Like `loadOption`, for a file without which the form works: undefined if the file does not arrive. */
export const tryOption = <Name extends keyof OptionFiles>(
  name: Name,
): Promise<OptionFiles[Name] | undefined> => loadOption(name).catch(() => undefined);

export const advise: Advise = (tell) => void tryOption('advice').then((advice) => advice && tell(advice));

const loads = new Map<string, Promise<unknown>>();

/**
 * Loads a file once. If that fails, the next call tries again.
 *
 * @throws when the file does not arrive or has another hash
 */
export function loadPinned(pin: Pin): Promise<unknown> {
  const load = loads.get(pin.path) ?? importPinned(pin);
  loads.set(pin.path, load);
  load.catch(() => loads.delete(pin.path));
  return load;
}
