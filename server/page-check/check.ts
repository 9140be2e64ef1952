/**
 * Says why the form would not work on a partner's page, from the page's HTML, its origin and its content security
 * policy. Nothing is requested: the page is judged as it was given.
 */
import {elementName, paths} from '../../contract/api.ts';
import {allowsOrigin, type Partner} from '../config/partners.ts';
import {readMetaPolicies, readPolicies} from './content-policy.ts';
import type {Finding, Service} from './findings.ts';
import {formFindings} from './form-findings.ts';
import {applyFrames, frameFindings} from './frame-findings.ts';
import {parsePage, type PartnerPage} from './partner-page.ts';
import {policyFindings} from './policy-findings.ts';
import {scriptFindings} from './script-findings.ts';

/** What is known of the page. */
export type Given = {
  origin?: string | undefined;
  html?: string | undefined;
  /** A page may have several headers with a policy. */
  policy?: string | readonly string[] | undefined;
};

export function checkPage(partner: Partner, {origin, html, policy}: Given, service: Service): Finding[] {
  const page = html === undefined ? undefined : parsePage(html);
  const policies = [
    ...[policy ?? []].flat().flatMap(readPolicies),
    ...(page?.policies ?? []).flatMap(readMetaPolicies),
  ];
  const address = URL.parse(origin ?? '') ?? new URL('https://page.invalid');
  const findings = [
    ...(origin === undefined ? [] : originFindings(origin, partner, service)),
    ...(page ? pageFindings(page, partner, address, service) : []),
    ...policies.flatMap((each) => policyFindings(each, page, address, service)),
  ];
  // With this directive, browsers ask for https:// where the page has http://.
  const isUpgraded =
    service.publicUrl.startsWith('https:') && policies.some((each) => each.has('upgrade-insecure-requests'));
  return findings.filter(({code}) => code !== 'mixed-content' || !isUpgraded);
}

function originFindings(origin: string, partner: Partner, {publicUrl}: Service): Finding[] {
  const {key, origins} = partner;
  if (origin === 'null') {
    return [
      {
        code: 'origin-null',
        wrong:
          'The form is in a sandboxed frame, or in a file: its origin is "null", which could be any page.',
        fix: `Add allow-same-origin to the sandbox of the frame, or link to ${publicUrl}${paths.apply}/${key}.`,
      },
    ];
  }
  const url = URL.parse(origin);
  if (url?.origin !== origin) {
    const meant =
      url && url.origin !== 'null' ? `, such as ${url.origin}` : ', such as https://www.example.com';
    return [
      {
        code: 'origin-invalid',
        wrong: `"${origin}" is no origin.`,
        fix: `Give scheme and host, without a path${meant}.`,
      },
    ];
  }
  if (allowsOrigin(partner, origin) || origin === new URL(publicUrl).origin) return [];
  return [
    {
      code: 'origin-not-listed',
      wrong: `${origin} is not among the origins of "${key}": ${origins.join(', ')}.`,
      fix: `Add "${origin}" to "origins" of this partner, and restart the server.`,
    },
  ];
}

function pageFindings(page: PartnerPage, partner: Partner, address: URL, service: Service): Finding[] {
  const {forms, inertForm, frames, hasUnclosedForm} = page;
  const running = page.scripts.filter(({inert}) => inert === undefined);
  // Where one script runs, the others may be an example in a text, or data of a framework.
  const scripts = running.length > 0 ? running : page.scripts;
  const shownFrames = applyFrames(frames, address, service.publicUrl);
  const findings = shownFrames.flatMap((frame) => frameFindings(frame, partner, address, service));
  if (shownFrames.length > 0 && scripts.length === 0 && forms.length === 0) return findings;
  if (scripts.length === 0) {
    findings.push({
      code: 'no-script',
      wrong: 'The page has no script of the form.',
      fix: `Paste the script of the snippet: lead-prequal partners snippet ${partner.key}.`,
    });
  }
  if (forms.length === 0) {
    findings.push({
      code: 'no-form',
      wrong: inertForm
        ? `The <${elementName}> of the page is not shown, because ${inertForm}.`
        : `The page has no <${elementName}>.`,
      fix: `Paste the element of the snippet: lead-prequal partners snippet ${partner.key}.`,
    });
  }
  if (hasUnclosedForm) {
    findings.push({
      code: 'form-not-closed',
      wrong: `<${elementName}> has no end tag (a slash, as in <${elementName} … />, does not end it), so what follows on the page disappears with it.`,
      fix: `Write <${elementName} …></${elementName}>.`,
    });
  }
  if (running.length > 1) {
    findings.push({
      code: 'script-twice',
      wrong: 'The script of the form is on the page more than once. The first one is used.',
      fix: 'Remove the others, so that the page loads faster.',
    });
  }
  return [
    ...findings,
    ...scripts.flatMap((script) => scriptFindings(script, address, service)),
    ...forms.flatMap(({attributes}) => formFindings(attributes, page, partner, address, service)),
  ];
}
