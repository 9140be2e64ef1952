/**
 * Replaces script-address.ts in the classic build of the script, which is not a module and has no `import.meta`.
 * `document.currentScript` is the script that the browser is running. Some optimisers run a copy of the script, or its text; then
 * the original script tag is still on the page.
 */
import {classicFile} from '../../contract/api.ts';
import {safeDocument} from '../page/safe-document.ts';

const {currentScript, scripts} = safeDocument;
const ownScript = [currentScript as HTMLScriptElement | null, ...scripts].find((script) =>
  script?.src?.split(/[?#]/)[0]?.endsWith(`/${classicFile}`),
);

export const scriptAddress: string = ownScript?.src ?? safeDocument.baseURI;
