/** What is wrong with the element of the form. */
import {elementName} from '../../contract/api.ts';
import type {Partner} from '../config/partners.ts';
import {mixedContent, type Finding, type Service} from './findings.ts';
import type {Attributes, PartnerPage} from './partner-page.ts';

export function formFindings(
  form: Attributes,
  page: PartnerPage,
  partner: Partner,
  address: URL,
  {publicUrl, partners}: Service,
): Finding[] {
  if (form['sandbox'] !== undefined) return [];
  const findings: Finding[] = [];
  const named = form['partner'] || partners[0]?.key;
  if (named !== partner.key) {
    const isKnown = partners.some(({key}) => key === named);
    findings.push({
      code: 'unknown-partner',
      wrong: `The form on the page is that of "${named}", ${isKnown ? 'another partner' : 'which is no partner of this server'}.`,
      fix: `Write partner="${partner.key}".`,
    });
  }
  const endpoint = form['endpoint'] ? URL.parse(form['endpoint'], address.href) : null;
  if (endpoint) {
    findings.push(...mixedContent('The endpoint', endpoint, address, publicUrl));
    const server = new URL(publicUrl);
    const isHere = endpoint.host === server.host;
    if (!isHere || withoutSlash(endpoint) !== withoutSlash(server)) {
      findings.push({
        code: 'endpoint-elsewhere',
        wrong: `The form sends its leads to ${isHere ? endpoint.href : endpoint.origin}, and not to this server${isHere ? `, which is ${publicUrl}` : ''}.`,
        fix: `Remove the attribute endpoint, unless that server is yours, too.`,
      });
    }
  }
  if (form['presentation'] !== 'dialog' && !keepsHeight(form, page)) {
    findings.push({
      code: 'no-height',
      wrong: `No height is kept free for the form, so what stands below it moves when it appears${page.hasStyleSheets ? ' (unless a style sheet of the page keeps it)' : ''}.`,
      fix: 'Add the "style" attribute of the snippet.',
    });
  }
  return findings;
}

const withoutSlash = ({pathname}: URL) => pathname.replace(/\/+$/, '');

const hasHeight = /(^|[;{\s])(min-)?(height|block-size)\s*:/i;

/** Whether the element, or a rule of the page that is for it, has a height. */
function keepsHeight({style = '', class: classes = '', id}: Attributes, {rules}: PartnerPage): boolean {
  if (hasHeight.test(style)) return true;
  const names = classes.split(/\s+/).filter(Boolean);
  const selectors = [elementName, ...names.map((name) => `.${name}`), ...(id ? [`#${id}`] : [])];
  return rules.some(
    ({selector, body}) => hasHeight.test(body) && selectors.some((own) => selector.includes(own)),
  );
}
