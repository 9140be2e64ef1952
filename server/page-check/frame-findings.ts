/** What is wrong with a frame that shows the partner's apply page. */
import {paths} from '../../contract/api.ts';
import type {Partner} from '../config/partners.ts';
import {missingInSandbox, mixedContent, type Finding, type Service} from './findings.ts';
import type {FoundFrame} from './partner-page.ts';

export type ApplyFrame = {url: URL; sandbox: string | undefined};

/**
 * The frames that show an apply page of this server, also by an address without TLS.
 * @param address on the origin of the page
 */
export function applyFrames(frames: readonly FoundFrame[], address: URL, publicUrl: string): ApplyFrame[] {
  const server = new URL(`${publicUrl}${paths.apply}`);
  return frames.flatMap(({src, sandbox}) => {
    const url = URL.parse(src, address.href);
    const isOurs = url?.host === server.host && `${url.pathname}/`.startsWith(`${server.pathname}/`);
    return url && isOurs ? [{url, sandbox}] : [];
  });
}

export function frameFindings(
  {url, sandbox}: ApplyFrame,
  partner: Partner,
  address: URL,
  {publicUrl, partners}: Service,
): Finding[] {
  const findings = mixedContent('The frame', url, address, publicUrl);
  const {pathname} = new URL(`${publicUrl}${paths.apply}`);
  const [, key] = url.pathname.slice(pathname.length).split('/');
  const shown = key || partners[0]?.key;
  if (shown !== partner.key) {
    findings.push({
      code: 'unknown-partner',
      wrong: `The frame shows the page of "${shown}", ${partners.some((each) => each.key === shown) ? 'another partner' : 'which is no partner of this server'}.`,
      fix: `Write src="${publicUrl}${paths.apply}/${partner.key}".`,
    });
  }
  const missing = missingInSandbox(sandbox?.split(/\s+/));
  if (missing.length > 0) {
    findings.push({
      code: 'frame-sandboxed',
      wrong: `The frame has the attribute "sandbox" without ${missing.join(' and ')}, so the form in it does not work.`,
      fix: `Remove the attribute sandbox, or add ${missing.join(' ')} to it.`,
    });
  }
  return findings;
}
