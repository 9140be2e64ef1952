/** What may stand in a snippet. All of it comes from a web address or a command line, and ends up in HTML, CSS and code. */
import type * as Culori from 'culori';
import {z} from 'zod';
import {contextValue} from '../../contract/embed.ts';
import {atFirstUse} from '../config/at-first-use.ts';

/** An opaque colour of CSS. Of any other text, such as `transparent`, browsers would make a button without a colour. */
export const color = z
  .string()
  .max(100)
  .refine((text) => colorSigns.test(text) && isOpaqueColor(text), {
    error: 'must be a colour such as #12406f',
  });

const colorSigns = /^[#\w .,%()/+-]+$/;

/** Loads culori at its first use, because it takes time, and most commands need no colours. */
const culori = atFirstUse<typeof Culori>('culori');

function isOpaqueColor(text: string): boolean {
  const {colorsNamed, parse} = culori();
  // The parser also takes the digits of a hexadecimal colour without `#`, which CSS does not.
  if (!/^#|\(/.test(text)) return Object.hasOwn(colorsNamed, text.toLowerCase());
  const parsed = parse(text);
  return parsed !== undefined && (parsed.alpha ?? 1) === 1;
}

/** @param units which units of CSS the length may have */
export const length = (units: readonly string[], example: string) =>
  z.string().refine(
    (text) => {
      const [, unit = ''] = /^\d{1,4}(?:\.\d{1,2})?([a-z%]+)$/.exec(text) ?? [];
      return units.includes(unit);
    },
    {error: `must be a length such as ${example}`},
  );

const fontFamily = /^('[\p{L}\p{N} ._-]+'|"[\p{L}\p{N} ._-]+"|[\p{L}_-][\p{L}\p{N} _-]*)$/u;

/** Without quotes, no word of a name may begin with a digit, as in Source Sans 3. */
const isValidFamily = (family: string) => /^\s*['"]/.test(family) || !/(^|[ -])\d/.test(family);

/** A list of font families, as CSS has it. A name that needs quotes gets them. */
export const fontFamilies = z
  .string()
  .max(200)
  .refine((text) => text.split(',').every((family) => fontFamily.test(family.trim())), {
    error: "must be names of fonts, separated by commas, such as 'Segoe UI', Arial, sans-serif",
  })
  .transform((text) =>
    text.split(',').every(isValidFamily)
      ? text
      : text
          .split(',')
          .map((family) => (isValidFamily(family) ? family.trim() : `'${family.trim()}'`))
          .join(', '),
  );

/**
 * Signs that shop systems, site builders and tag managers take for code, also where they stand in a text or an attribute:
 * `{{ }}` and `{% %}` in Shopify, Google Tag Manager and Vue, `[gallery]` in WordPress.
 */
const noTemplateSigns = z.regex(
  /^[^{}[\]]*$/,
  'must have none of the signs { } [ ], because some sites take them for code',
);

/** An address to which the form links: https, or a path on the partner's own site. The form refuses all others. */
export const link = z
  .string()
  .max(500)
  .check(noTemplateSigns)
  .refine(
    (text) =>
      !/[\s\p{C}\\]/u.test(text) &&
      // A path with two slashes at its beginning leads to another site.
      /^(https:\/\/|\/(?!\/))/i.test(text) &&
      URL.parse(text, 'https://any.example')?.protocol === 'https:',
    {error: 'must be an address that begins with https://, or a path such as /privacy'},
  );

/**
 * The address of a server, as `URL` writes it. Its host and its path hold no sign that means something in a
 * Content-Security-Policy or a shell. Only a server on the same machine may do without https.
 */
export const serverUrl = z
  .string()
  .max(500)
  .refine(
    (text) => {
      const url = URL.parse(text);
      // `URL` repairs an address such as `https:evil.example`, and leaves invisible characters out.
      if (!url || !/^https?:\/\//i.test(text) || /[\s\p{C}\\?#@]/u.test(text)) return false;
      if (!/^[\w.-]+$/.test(url.hostname) || !/^[\w./~-]*$/.test(url.pathname)) return false;
      return url.protocol === 'https:' || url.hostname === 'localhost';
    },
    {error: 'must be an address such as https://leads.example.com'},
  )
  .transform((text) => URL.parse(text)?.href.replace(/\/+$/, '') ?? text);

/** A text that visitors read. */
export const words = z
  .string()
  .max(80)
  .regex(/^\P{C}*$/u, 'must be a text without control characters')
  .check(noTemplateSigns);

/** The value of a hidden field. */
export const contextText = z
  .string()
  .regex(contextValue, 'must be one line of at most 200 characters')
  .check(noTemplateSigns);

/** Google's name of a conversion: the id of an account, and a label. */
export const conversionLabel = z
  .string()
  .max(80)
  .regex(/^AW-\d+\/[\w-]+$/, 'must be such as AW-123456789/AbC-D_efG');

/** The name of a global variable. */
export const globalName = z
  .string()
  .max(64)
  .regex(/^[a-z_$][\w$]*$/i, 'must be the name of a variable such as dataLayer');
