/** What the webmaster should correct, as far as it can be seen on the page or asked from the server. */
import {classicFile, moduleFile, paths} from '../../contract/api.ts';
import type {ListedVersions} from '../../contract/versions.ts';
import type {Endpoint} from '../fields/form-host.ts';
import {scriptAddress} from '../loading/script-address.ts';
import {diagnose, type Finding} from '../page/diagnosis.ts';
import {safeDocument} from '../page/safe-document.ts';
import {addressOf, problemCode} from '../submission/exchange.ts';

/** The tags of the form's script. */
export const ownScripts = (): HTMLScriptElement[] =>
  [...safeDocument.scripts].filter(
    ({src}) => src.includes(`/${moduleFile}`) || src.includes(`/${classicFile}`),
  );

/** The version in the address of this script. Undefined for `v1`, which has the newest, and in a bundle of the page. */
export const ownVersion = (): string | undefined => /\/embed\/(\d[^/]*)\//.exec(scriptAddress)?.[1];

export function findingsOnPage(form: HTMLElement): Finding[] {
  const findings: Finding[] = [];
  const isDialog = form.getAttribute('presentation') === 'dialog';
  if (!isDialog && !keepsHeight(form)) {
    findings.push({
      wrong:
        'The page keeps no height free for the form, so what stands below it moves when the form appears.',
      fix: 'Add the "style" attribute of the snippet, or its rule to your style sheet.',
    });
  }
  const scripts = ownScripts();
  if (scripts.length > 1) {
    findings.push({
      wrong: `The script is on the page ${scripts.length} times. The first one is used, and the others cost time.`,
      fix: 'Remove all but one.',
    });
  }
  if (ownVersion() && scripts.some(({integrity}) => !integrity)) {
    findings.push({
      wrong: 'The script has no "integrity" attribute, so your page would also run a file that was changed.',
      fix: 'Add the attributes "integrity" and "crossorigin" of the snippet, if your site builder keeps them.',
    });
  }
  return findings;
}

/** The computed height is that of the form itself, so only what the page sets counts. */
const keepsHeight = (form: HTMLElement) =>
  parseFloat(getComputedStyle(form).minBlockSize) > 0 ||
  form.style.height !== '' ||
  form.style.blockSize !== '';

/** Whether the server takes leads of this page, and whether it has a newer version of the form. */
export async function findingsOfServer(server: Endpoint): Promise<Finding[]> {
  const code = await refusal(server);
  const refused = code === undefined ? undefined : await diagnose(code, server);
  const old = await outdated(server);
  return [refused, old].filter((finding) => finding !== undefined);
}

/** @returns the code of the problem for which the server refuses the page, or `network` if there is no answer */
async function refusal(server: Endpoint): Promise<string | undefined> {
  try {
    const response = await server.fetch(addressOf(server, paths.embedConfig));
    if (!response.ok) return problemCode(await response.json());
    // A request stays open until its answer is read.
    await response.text();
    return undefined;
  } catch {
    return 'network';
  }
}

/** Of an older server, the list may have another shape, or be missing. */
type Versions = Partial<ListedVersions>;

async function outdated({origin, fetch}: Endpoint): Promise<Finding | undefined> {
  const own = ownVersion();
  const {newest, versions = []} = await fetch(`${origin}${paths.embedVersions}`)
    .then(async (response) => (await response.json()) as Versions)
    .catch((): Versions => ({}));
  const place = (name: string | null | undefined) => versions.findIndex(({version}) => version === name);
  const {withdrawn, security} = versions.find(({version}) => version === own) ?? {};
  // The newest version is the first in the list.
  const isOlder = place(newest) >= 0 && place(own) > place(newest);
  if (!isOlder && !withdrawn && !security) return undefined;
  return {
    wrong: [`This is version ${own}, and ${newest} is the newest.`, withdrawn, security]
      .filter(Boolean)
      .join(' '),
    fix: `Take the snippet of ${newest}, which ${origin}${paths.snippets} shows.`,
  };
}
