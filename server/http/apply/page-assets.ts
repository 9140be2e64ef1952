/** The files that apply pages load, besides the form: read once, at start, and cached for a year. */
import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Router, type Request} from 'express';
import {elementName, paths} from '../../../contract/api.ts';
import {reservedHeightRule, reservedHeights} from '../../../form/reserved-heights.ts';
import {isCovered} from '../../config/origins.ts';
import {barsRule} from '../../snippets/fallback.ts';
import {pageLanguages, type PageLanguage} from '../../snippets/words.ts';

const placeOf = (name: string) => join(import.meta.dirname, name);
const read = (name: string) => readFileSync(placeOf(name));

const styles = [
  read('page.css').toString(),
  reservedHeightRule(elementName, reservedHeights.steps),
  reservedHeightRule(`${elementName}[lead-type='standard']`, reservedHeights.standard),
  barsRule('.late'),
].join('\n');
/** frame.js, and before it the function that it calls. Both are in a block, so that the page gets no global `isCovered`. */
export const frameScript = `{\nconst isCovered = ${isCovered.toString()};\n${read('frame.js').toString()}}\n`;
/** `npm run pictures` takes them, of pages of this server: it must start before a new language has its picture. */
const pictures = pageLanguages
  .map((language) => ({language, name: `preview-${language}.png`}))
  .filter(({name}) => existsSync(placeOf(name)))
  .map(({language, name}) => ({language, path: `${paths.apply}/${name}`, content: read(name)}));

/** Part of the address, so that a browser that has kept an older file asks for the new one. */
const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 8);

const stylesDigest = digest(styles);
const frameScriptDigest = digest(frameScript);
const pictureAddresses = Object.fromEntries(
  pictures.map(({language, path, content}) => [language, `${path}?v=${digest(content)}`]),
) as Partial<Record<PageLanguage, string>>;

/** Paths with a query, which names the content. No partner has a key with a dot. */
export const assets = {
  /** @param accent a colour such as `#0b7a5a` */
  styles: (accent: string | undefined) =>
    `${paths.apply}/page.css?${new URLSearchParams({...(accent && {accent}), v: stylesDigest})}`,
  frameScript: `${paths.apply}/frame.js?v=${frameScriptDigest}`,
  pictures: pictureAddresses,
};

export function pageAssets(): Router {
  const router = Router({caseSensitive: true});
  /** With another digest in the address, caches would keep this content for one that comes later, or is gone. */
  const caching = ({query}: Request, current: string) => ({
    'Cache-Control': query['v'] === current ? `public, max-age=${365 * 86_400}, immutable` : 'no-cache',
  });
  router.get(`${paths.apply}/page.css`, (request, response) => {
    const {accent} = request.query;
    // The accent colour stands in the address and not in the page, because the page's policy forbids inline styles.
    const isColor = typeof accent === 'string' && /^#[\da-f]{6}$/i.test(accent);
    response
      .set(caching(request, stylesDigest))
      .type('css')
      .send(isColor ? `${styles}\n:root {\n  --accent: ${accent};\n}\n` : styles);
  });
  router.get(`${paths.apply}/frame.js`, (request, response) => {
    response.set(caching(request, frameScriptDigest)).type('js').send(frameScript);
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
