/** Puts values into the texts of a language. Apart from words.ts, because later files use this without the fields. */

/** Replaces `{name}` by `values.name`. Names without a value stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
