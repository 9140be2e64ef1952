/** What a content security policy of the page blocks. */
import {moduleFile, paths} from '../../contract/api.ts';
import {
  allowsInlineScript,
  allowsScript,
  allowsStyleAttribute,
  allowsUrl,
  deciding,
  isStrictDynamic,
  type ContentPolicy,
  type Directive,
} from './content-policy.ts';
import {missingInSandbox, type Finding, type Service} from './findings.ts';
import type {PartnerPage} from './partner-page.ts';

/** @param address on the origin of the page */
export function policyFindings(
  policy: ContentPolicy,
  page: PartnerPage | undefined,
  address: URL,
  {publicUrl}: Service,
): Finding[] {
  const server = new URL(publicUrl);
  return [
    blockedScript(policy, page, address, server),
    blockedRequests(policy, address, server),
    blockedStyle(policy, page),
    blockedTrustedTypes(policy, page),
    blockedFrame(policy, page, address, server),
    sandboxed(policy),
  ].filter((finding) => finding !== undefined);
}

/** @param name the directive to write. If the one that decides is `default-src`, its sources must be repeated. */
function blocked(
  code: Finding['code'],
  what: string,
  name: string,
  {name: decidedBy, sources}: Directive,
  server: URL,
): Finding {
  const kept = sources.filter((each) => each.toLowerCase() !== "'none'");
  return {
    code,
    wrong: `The content security policy blocks ${what} (${decidedBy}).`,
    fix: `Write: ${[name, ...kept, server.origin].join(' ')};`,
  };
}

function blockedScript(
  policy: ContentPolicy,
  page: PartnerPage | undefined,
  address: URL,
  server: URL,
): Finding | undefined {
  const decided = deciding(policy, 'script-src-elem');
  if (!decided) return undefined;
  const name = decided.name === 'default-src' ? 'script-src' : decided.name;
  const script = page?.scripts.find(({inert}) => inert === undefined);
  // An empty address would be that of the page itself.
  const url = (script && URL.parse(script.src, address.href)) ?? new URL(`/embed/v1/${moduleFile}`, server);
  const {nonce, integrity} = script?.attributes ?? {};
  if (script?.inline !== undefined && !allowsInlineScript(decided, {nonce, text: script.inline})) {
    return {
      code: 'policy-blocks-script',
      wrong: `The content security policy blocks the script within the page that adds the form (${decided.name}).`,
      fix: 'Use the snippet for a strict content security policy.',
    };
  }
  if (!allowsScript(decided, {url, nonce, integrity, isAdded: script?.inline !== undefined}, address)) {
    const finding = blocked('policy-blocks-script', 'the script of the form', name, decided, server);
    return isStrictDynamic(decided)
      ? {...finding, fix: 'Give the script the nonce of the page: <script nonce="…" …>.'}
      : finding;
  }
  const later = {url: new URL('later-file.js', url), isAdded: true};
  return allowsScript(decided, later, address)
    ? undefined
    : blocked('policy-blocks-later-files', 'the files that the form loads later', name, decided, server);
}

function blockedRequests(policy: ContentPolicy, address: URL, server: URL): Finding | undefined {
  const decided = deciding(policy, 'connect-src');
  const asked = [paths.embedConfig, paths.embedLeads].map((path) => new URL(path, server));
  if (!decided || asked.every((url) => allowsUrl(decided, url, address))) return undefined;
  return blocked('policy-blocks-requests', 'the requests of the form', 'connect-src', decided, server);
}

function blockedStyle(policy: ContentPolicy, page: PartnerPage | undefined): Finding | undefined {
  const decided = deciding(policy, 'style-src-attr');
  // A script may set styles, whatever the policy says.
  const styles = page?.forms.flatMap(({attributes: {style}, isAdded}) => (style && !isAdded ? [style] : []));
  if (!decided || !styles || styles.every((style) => allowsStyleAttribute(decided, style))) return undefined;
  return {
    code: 'policy-blocks-style',
    wrong: `The content security policy blocks the "style" attribute of the form (${decided.name}).`,
    fix: 'Use the snippet for a strict content security policy, whose style stands in a style sheet.',
  };
}

function blockedTrustedTypes(policy: ContentPolicy, page: PartnerPage | undefined): Finding | undefined {
  const script = page?.scripts.find(({inert}) => inert === undefined);
  if (script?.inline !== undefined && policy.has('require-trusted-types-for')) {
    return {
      code: 'policy-blocks-trusted-types',
      wrong:
        'The script within the page adds the form by an address that is a plain text, which the content security policy forbids (require-trusted-types-for).',
      fix: 'Use the snippet for a strict content security policy.',
    };
  }
  const allowed = policy.get('trusted-types');
  if (!allowed || allowed.includes('lead-prequal') || allowed.includes('*')) return undefined;
  const kept = allowed.filter((each) => each !== "'none'");
  return {
    code: 'policy-blocks-trusted-types',
    wrong: 'The content security policy does not let the form make its Trusted Types policy (trusted-types).',
    fix: `Write: ${['trusted-types', ...kept, 'lead-prequal'].join(' ')};`,
  };
}

function blockedFrame(
  policy: ContentPolicy,
  page: PartnerPage | undefined,
  address: URL,
  server: URL,
): Finding | undefined {
  const decided = deciding(policy, 'frame-src');
  const framed = page?.frames
    .map(({src}) => URL.parse(src, address.href))
    .find((url) => url?.origin === server.origin);
  if (!decided || !framed || allowsUrl(decided, framed, address)) return undefined;
  return blocked('policy-blocks-frame', 'the frame with the form', 'frame-src', decided, server);
}

function sandboxed(policy: ContentPolicy): Finding | undefined {
  const allowed = policy.get('sandbox');
  const missing = missingInSandbox(allowed);
  if (!allowed || missing.length === 0) return undefined;
  return {
    code: 'policy-sandboxes-page',
    wrong: `The content security policy puts the page into a sandbox without ${missing.join(' and ')} (sandbox).`,
    fix: `Write: ${['sandbox', ...allowed, ...missing].join(' ')};`,
  };
}
