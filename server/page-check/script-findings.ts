/** What is wrong with the script of the form: its tag, its address, its version and its hash. */
import {classicFile, paths} from '../../contract/api.ts';
import {mixedContent, type Finding, type Service} from './findings.ts';
import type {FoundScript} from './partner-page.ts';

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
  const url = URL.parse(src, address);
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
  if (inline === undefined && attributes['integrity'] && attributes['crossorigin'] === undefined) {
    findings.push({
      code: 'no-crossorigin',
      wrong: 'The script has "integrity" without "crossorigin", so browsers refuse to run it.',
      fix: 'Add the attribute crossorigin to the script.',
    });
  }
  return [...findings, ...versionFindings(url, attributes['integrity'], service)];
}

function versionFindings(url: URL, integrity: string | undefined, {versions, publicUrl}: Service): Finding[] {
  const [, name = '', file = ''] = /^\/embed\/([^/]+)\/([^/]+)$/.exec(url.pathname) ?? [];
  const {newest} = versions;
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
        fix: `Use ${newest}, the newest one.`,
      },
    ];
  }
  if (version.withdrawn !== undefined) {
    return [
      {
        code: 'withdrawn-version',
        wrong: `Version ${name} was withdrawn: ${version.withdrawn}`,
        fix: `Use the snippet of ${newest}: ${publicUrl}${paths.snippets}.`,
      },
    ];
  }
  const expected = version.integrity[file];
  if (expected === undefined) {
    return [
      {
        code: 'unknown-file',
        wrong: `Version ${name} has no file ${file}.`,
        fix: `Use the snippet of ${newest}.`,
      },
    ];
  }
  const findings: Finding[] = [];
  if (integrity && !integrity.split(/\s+/).includes(expected)) {
    findings.push({
      code: 'wrong-hash',
      wrong: `The hash in "integrity" is not that of ${file} in version ${name}, so browsers refuse to run it.`,
      fix: `Write integrity="${expected}".`,
    });
  }
  if (name !== newest && version.released) {
    findings.push({
      code: 'old-version',
      wrong: [`The page has version ${name}, and ${newest} is the newest.`, version.security]
        .filter(Boolean)
        .join(' '),
      fix: `Use the snippet of ${newest}.`,
    });
  }
  return findings;
}
