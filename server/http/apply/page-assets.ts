/** The styles of apply pages, and the files that they load besides the form: read once, at start. Files are cached for a year. */
import {hash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type Request} from 'express';
import {elementName, paths} from '../../../contract/api.ts';
import {campaignParameter, contextName, draftLifetime} from '../../../contract/embed.ts';
import {reservedHeightRule, reservedHeights} from '../../../form/reserved-heights.ts';
import {answerStyles} from '../../../form/styles/answer.ts';
import {fields} from '../../../form/styles/fields.ts';
import {layout} from '../../../form/styles/layout.ts';
import {theme} from '../../../form/styles/theme.ts';
import {touched} from '../../../form/styles/touched.ts';
import {formLanguages, type FormLanguage} from '../../../form/words/languages.ts';
import {isCovered} from '../../config/origins.ts';
import {Html, minified, policyHash} from '../../html/html.ts';

const placeOf = (name: string) => join(import.meta.dirname, name);
const read = (name: string) => readFileSync(placeOf(name));

/**
 * The styles of the form are those of its element, where `:host` is the element. Here the form stands in a box on the page:
 * all rules are nested in one for that box, except for animations, which cannot be.
 */
function inBox(styles: string): string {
  const animation = /@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*\s*\}/g;
  const nested = styles.replace(animation, '').replace(/:host(?:\(([^)]*)\))?/g, (_, of = '') => `&${of}`);
  return `.prequal { ${nested} }\n${(styles.match(animation) ?? []).join('\n')}`;
}

const styles = minified(
  [
    reservedHeightRule(elementName, reservedHeights.steps),
    reservedHeightRule(`${elementName}[order]`, reservedHeights['contact-first']),
    reservedHeightRule(`${elementName}[lead-type='standard']`, reservedHeights.standard),
    inBox([theme, fields, layout, touched, ...answerStyles].join('\n')),
    read('page.css').toString(),
  ].join('\n'),
);

type Styles = {element: Html; /** As a content security policy names them. */ hash: string};
const stylesByAccent = new Map<string | undefined, Styles>();

/** Styles in the page itself, so that it shows without a further request. @param accent such as `#0b7a5a` */
export function stylesWith(accent: string | undefined): Styles {
  const known = stylesByAccent.get(accent);
  if (known) return known;
  const text = accent === undefined ? styles : `${styles}:root{--accent:${accent}}`;
  const made = {element: new Html(`<style>${text}</style>`), hash: policyHash(text)};
  stylesByAccent.set(accent, made);
  return made;
}

/** The rules that page.js shares with the form and the server. */
const rules = Object.entries({campaignParameter, contextName, draftLifetime, isCovered})
  .map(([name, rule]) => `const ${name} = ${rule.toString()};\n`)
  .join('');
/** page.js, and before it the rules. They are in a block, so that they are no globals of the page. */
export const pageScript = `{\n${rules}${read('page.js').toString()}}\n`;
/** test/e2e/preview-pictures.ts takes them, of pages of this server: it must start before a new language has its picture. */
const pictures = formLanguages
  .map((language) => ({language, name: `preview-${language}.png`}))
  .filter(({name}) => existsSync(placeOf(name)))
  .map(({language, name}) => ({language, path: `${paths.apply}/${name}`, content: read(name)}));

/** Part of the address, so that a browser that has kept an older file asks for the new one. */
const digest = (content: string | Buffer) => hash('sha256', content).slice(0, 8);

const pageScriptDigest = digest(pageScript);
const pictureAddresses = Object.fromEntries(
  pictures.map(({language, path, content}) => [language, `${path}?v=${digest(content)}`]),
) as Partial<Record<FormLanguage, string>>;

/** Paths with a query, which names the content. No partner has a key with a dot. */
export const assets = {
  pageScript: `${paths.apply}/page.js?v=${pageScriptDigest}`,
  pictures: pictureAddresses,
};

export function pageAssets(): Router {
  const router = Router({caseSensitive: true});
  /** With another digest in the address, caches would keep this content for one that comes later, or is gone. */
  const caching = ({query}: Request, current: string) => ({
    'Cache-Control': query['v'] === current ? `public, max-age=${365 * 86_400}, immutable` : 'no-cache',
  });
  router.get(`${paths.apply}/page.js`, (request, response) => {
    response.set(caching(request, pageScriptDigest)).type('js').send(pageScript);
  });
  for (const {path, content} of pictures) {
    const current = digest(content);
    router.get(path, (request, response) => {
      // Programs that show previews of links load the picture from pages of their own.
      response
        .set({...caching(request, current), 'Cross-Origin-Resource-Policy': 'cross-origin'})
        .type('png')
        .send(content);
    });
  }
  return router;
}
