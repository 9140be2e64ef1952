/** What is wrong with the script of the form: its tag, its address, its version and its hash. */
import {classicFile, moduleFile} from '../../contract/api.ts';
import {normalHash} from './content-policy.ts';
import {mixedContent, type Finding, type Service} from './findings.ts';
import {isModule, type Attributes, type FoundScript} from './partner-page.ts';

export function scriptFindings(
  {attributes, src, inert, inline}: FoundScript,
  address: URL,
  service: Service,
): Finding[] {
  const {publicUrl} = service;
  if (inert !== undefined) {
    return [
      {
        code: 'script-inert',
        wrong: `The script does not run, because ${inert}.`,
        fix: `Use the classic script of the snippet for this host, and exclude ${classicFile} from tools that delay scripts.`,
      },
    ];
  }
  const url = URL.parse(src, address.href);
  if (!url) {
    return [
      {
        code: 'script-address-invalid',
        wrong: `The address of the script is not valid: ${src}`,
        fix: 'Paste the snippet again, with the address of the server in it.',
      },
    ];
  }
  const findings = [...mixedContent('The script', url, address, publicUrl)];
  if (url.host !== new URL(publicUrl).host) {
    findings.push({
      code: 'script-elsewhere',
      wrong: `The script comes from ${url.host}, and this server is ${publicUrl}.`,
      fix: 'Take the address of the script from the snippet. A copy elsewhere does not find its further files.',
    });
    return findings;
  }
  if (
    isModuleFile(url) &&
    (inline === undefined ? !isModule(attributes) : !/['"]module['"]|\bimport\b/.test(inline))
  ) {
    findings.push({
      code: 'module-as-classic',
      wrong: `${moduleFile} is a module, and its script has no type="module", so it fails.`,
      fix: `Add type="module" to the script, or use the classic script of the snippet, ${classicFile}.`,
    });
  }
  return [
    ...findings,
    ...(inline === undefined ? crossoriginFindings(attributes, url, address) : []),
    ...versionFindings(url, attributes['integrity'], service),
  ];
}

const isModuleFile = ({pathname}: URL) => pathname.endsWith(`/${moduleFile}`);

/** Browsers ask for a module as if it had the attribute. */
function crossoriginFindings(attributes: Attributes, url: URL, address: URL): Finding[] {
  const {integrity, crossorigin} = attributes;
  if (url.origin === address.origin) return [];
  if (crossorigin?.toLowerCase() === 'use-credentials') {
    return [
      {
        code: 'wrong-crossorigin',
        wrong:
          'crossorigin="use-credentials" asks for the script with cookies. This server allows all pages to load it, and none with cookies, so browsers refuse to run it.',
        fix: 'Write crossorigin without a value.',
      },
    ];
  }
  if (!integrity || crossorigin !== undefined || isModule(attributes)) return [];
  return [
    {
      code: 'no-crossorigin',
      wrong: 'The script has "integrity" without "crossorigin", so browsers refuse to run it.',
      fix: 'Add the attribute crossorigin to the script.',
    },
  ];
}

/** Of several hashes, browsers compare only those of the strongest kind. One of them has to be right. */
function isPinnedTo(integrity: string, expected: string): boolean {
  const hashes = [...integrity.matchAll(/(?:^|\s)(sha(?:256|384|512)-[\w+/=-]+)(?=[?\s]|$)/g)].map(
    ([, hash = '']) => hash,
  );
  const strongest =
    hashes
      .map((hash) => hash.slice(0, 'sha384'.length))
      .sort()
      .at(-1) ?? '';
  return hashes.some((hash) => hash.startsWith(strongest) && normalHash(hash) === expected);
}

function versionFindings(url: URL, integrity: string | undefined, {versions}: Service): Finding[] {
  const [, name = '', file = ''] = /^\/embed\/([^/]+)\/([^/]+)$/.exec(url.pathname) ?? [];
  const {newest} = versions;
  const fix = newest
    ? `Use the snippet of ${newest}, the newest version.`
    : 'Build the form on the server with "npm run build", and use its snippet.';
  if (name === 'v1') {
    return integrity
      ? [
          {
            code: 'wrong-hash',
            wrong: 'The script is pinned, but v1 changes with each version: the next one will not run.',
            fix: `Remove the attribute integrity, or name an exact version${newest ? `, such as ${newest}` : ''}.`,
          },
        ]
      : [];
  }
  const version = versions.versions.find((each) => each.version === name);
  if (!version) {
    return [
      {
        code: 'unknown-version',
        wrong: `This server has no version "${name}" of the form.`,
        fix,
      },
    ];
  }
  if (version.withdrawn !== undefined) {
    return [
      {
        code: 'withdrawn-version',
        wrong: `Version ${name} was withdrawn: ${version.withdrawn}`,
        fix,
      },
    ];
  }
  const expected = version.integrity[file];
  if (expected === undefined) {
    return [
      {
        code: 'unknown-file',
        wrong: `Version ${name} has no file ${file}.`,
        fix,
      },
    ];
  }
  const findings: Finding[] = [];
  if (integrity && !isPinnedTo(integrity, expected)) {
    findings.push({
      code: 'wrong-hash',
      wrong: /\bsha(256|512)-/.test(integrity)
        ? `The hash in "integrity" is not the one of the snippet for ${file} in version ${name}. If it is of another kind, browsers run the script only if it is right, which is not checked here.`
        : `The hash in "integrity" is not that of ${file} in version ${name}, so browsers refuse to run it.`,
      fix: `Write integrity="${expected}".`,
    });
  }
  if (name !== newest && version.released) {
    findings.push({
      code: 'old-version',
      wrong: [`The page has version ${name}, and ${newest} is the newest.`, version.security]
        .filter(Boolean)
        .join(' '),
      fix,
    });
  }
  return findings;
}
