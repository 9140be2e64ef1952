/** What is used of the package `gettext-parser`, which has no types. */
declare module 'gettext-parser' {
  type Message = {msgid: string; msgstr: string[]; comments?: {reference?: string; extracted?: string}};
  type Catalogue = {
    charset: string;
    headers: Record<string, string>;
    translations: Record<string, Record<string, Message>>;
  };
  export const po: {
    parse(text: string): Catalogue;
    compile(catalogue: Catalogue, options?: {foldLength?: number; sort?: boolean}): Buffer;
  };
  export const mo: {compile(catalogue: Catalogue): Buffer};
}
