/** What is used of the package `gettext-parser`, which has no types. */
declare module 'gettext-parser' {
  type Catalogue = {
    charset: string;
    headers: Record<string, string>;
    /** By context and text. */
    translations: Record<string, Record<string, {msgid: string; msgstr: string[]}>>;
  };
  export const po: {
    parse(text: string): Catalogue;
    compile(
      catalogue: Omit<Catalogue, 'translations'> & {translations: Record<string, Record<string, object>>},
      options: {foldLength: number},
    ): Buffer;
  };
  export const mo: {compile(catalogue: Catalogue): Buffer};
}
