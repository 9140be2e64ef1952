/** `/embed/snippets`: the page on which partners choose and copy the snippet of their form, and its preview. */
import {readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import {Router, type Request, type RequestHandler} from 'express';
import {paths} from '../../../contract/api.ts';
import type {Partner} from '../../config/partners.ts';
import {choicesFor, noChoices, readChoices, type Choice, type Faults} from '../../snippets/choices.ts';
import {platformNames, leadToApplyPage, type PlatformName} from '../../snippets/platforms.ts';
import type {SnippetParts} from '../../snippets/markup.ts';
import {snippetParts} from '../../snippets/parts.ts';
import {pageStyles} from '../../html/page-styles.ts';
import type {EmbedVersion} from '../../versions/embed-versions.ts';
import type {FailureLimit} from '../limits/failure-limit.ts';
import {methodNotAllowed} from '../problem-replies.ts';
import {preview} from './preview.ts';
import {linkOf} from './choice-fields.ts';
import {linkTo, sendings, snippetsPage, widths, type State} from './snippets-page.ts';

type Settings = {
  partners: readonly Partner[];
  publicUrl: string;
  /** The version whose files the snippets pin. */
  version: EmbedVersion;
  unknownPartners: FailureLimit;
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const files = [
  ['snippets.css', pageStyles + read('snippets.css')],
  ['snippets.js', read('snippets.js')],
] as const;

/** The first of the names is the default. */
const oneOf = <Name extends string>(names: readonly [Name, ...Name[]], asked: unknown): Name =>
  names.find((name) => name === asked) ?? names[0];

/** The known parameters of the address that are there once. A parameter that is there twice is as good as none. */
const textsOf = (query: Request['query'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name];
      return typeof value === 'string' ? [[name, value.trim()]] : [];
    }),
  );

/**
 * What the page repeats in its fields and in many links. Allowed values have a limit of their own. Of all others only
 * those are repeated that somebody may have typed, because the page would become much larger than the request.
 */
const repeated = (
  given: Readonly<Record<string, string>>,
  table: Readonly<Record<string, Choice>>,
  faults: Faults,
) =>
  Object.fromEntries(
    Object.entries(given).filter(([name, {length}]) => {
      const isAllowed = Object.hasOwn(table, name) && !Object.hasOwn(faults, name);
      return isAllowed || length <= 100;
    }),
  );

export function snippetsRouter({partners, publicUrl, version, unknownPartners}: Settings): Router {
  const router = Router({caseSensitive: true, strict: true});
  const byKey = new Map(partners.map((partner) => [partner.key, partner]));

  /** @throws ProblemError if the partner is unknown, and the address of the visitor named too many unknown partners */
  function stateOf(request: Request): State {
    const {partner: key = ''} = textsOf(request.query, ['partner']);
    const partner = byKey.get(key);
    const table = choicesFor(partner);
    const given = textsOf(request.query, ['partner', 'host', 'width', 'sends', ...Object.keys(table)]);
    const isUnknown = key !== '' && !partner;
    if (isUnknown) unknownPartners.fail(request);
    const {choices, faults} = readChoices(given, partner);
    return {
      query: repeated(given, table, faults),
      partner,
      table,
      faults: isUnknown ? {...faults, partner: 'is not known here: ask us for your key'} : faults,
      choices,
      parts: snippetParts({publicUrl}, version, partner, choices),
      host: oneOf<PlatformName>(platformNames, given['host']),
      width: oneOf(widths, given['width']),
      sends: oneOf(sendings, given['sends']),
      version,
      publicUrl,
    };
  }

  /** Unless somebody asks for real leads, the form in the preview is a sample of the one in the snippet. */
  function partsInPreview({host: platform, partner, choices, parts, sends}: State): SnippetParts {
    if (sends === 'leads') return parts;
    const {attributes, ...others} = leadToApplyPage.has(platform) ? noChoices : choices;
    const link = partner && linkOf(partner, choices);
    const hasOwnLink = attributes['cta-href'] !== undefined && attributes['cta-label'] !== undefined;
    return snippetParts({publicUrl}, version, partner, {
      ...others,
      // A sample asks the server for nothing, so it does not get the partner's link from there.
      attributes: {
        sandbox: '',
        ...attributes,
        ...(link && !hasOwnLink && {'cta-href': link.href, 'cta-label': link.label}),
      },
    });
  }

  const page: RequestHandler = (request, response) => {
    const state = stateOf(request);
    response
      .status(Object.keys(state.faults).length > 0 ? 400 : 200)
      .set('Content-Security-Policy', policy)
      .type('html')
      .send(snippetsPage(state).text);
  };

  const previewPage: RequestHandler = (request, response) => {
    const state = stateOf(request);
    // Outside of its frame, nothing would say that this is a preview, and of what.
    if (request.get('Sec-Fetch-Dest') === 'document') {
      response.redirect(303, `../snippets${linkTo(state, {})}`);
      return;
    }
    const {page, policy} = preview(state.host, partsInPreview(state), state.choices.theme);
    response.set('Content-Security-Policy', policy).type('html').send(page.text);
  };

  const only = methodNotAllowed('GET, HEAD');
  router.route(paths.snippets).get(page).all(only);
  router.route(`${paths.snippets}/preview`).get(previewPage).all(only);
  for (const [file, content] of files) {
    const send: RequestHandler = (_request, response) => {
      response.set('Cache-Control', 'no-cache').type(extname(file)).send(content);
    };
    router.route(`${paths.snippets}/${file}`).get(send).all(only);
  }
  return router;
}
