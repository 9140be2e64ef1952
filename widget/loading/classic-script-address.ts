/**
 * Takes the place of script-address.ts in the classic twin: a script that is not a module has no `import.meta`. The
 * browser names the script that it runs in `document.currentScript`. Some optimisers run a copy of the script, or its
 * text. Then the tag that they took it from is still on the page.
 */
import {classicFile} from '../../contract/api.ts';
import {safeDocument} from '../page/safe-document.ts';

const {currentScript, scripts} = safeDocument;
const ownScript = [currentScript as HTMLScriptElement | null, ...scripts].find((script) =>
  script?.src?.split(/[?#]/)[0]?.endsWith(`/${classicFile}`),
);

export const scriptAddress: string = ownScript?.src ?? safeDocument.baseURI;
