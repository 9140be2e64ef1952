/** What is wrong with the markup of a page, for assistive technology and for forms. */

/** An element of parse5 or of a browser, as far as the rules need it. */
export type Element = {readonly name: string; attribute: (name: string) => string | null | undefined};

/** Elements whose role allows no name (ARIA in HTML): generic, paragraph, code, emphasis and their like. */
const nameless =
  /^(?:abbr|b|bdi|bdo|body|cite|code|data|del|dfn|div|em|i|ins|kbd|mark|p|pre|q|s|samp|small|span|strong|sub|sup|time|u|var)$/;

/** One sentence about the element for each rule that it breaks. */
export function faultsOf({name, attribute}: Element): string[] {
  const has = (attributeName: string) => typeof attribute(attributeName) === 'string';
  const isPlain = nameless.test(name) && !has('role');
  return [
    // Without a type, a button sends the form around it, also one that somebody puts there later.
    name === 'button' && !has('type') && 'a button has no type',
    isPlain && (has('aria-label') || has('aria-labelledby')) && `<${name}> has a name without a role`,
    isPlain && attribute('tabindex') === '0' && `<${name}> can be focused without a role`,
  ].filter((fault) => typeof fault === 'string');
}
