/** Puts values into texts. It stands apart from words.ts, because the server uses it without the words and fields of the form. */

/** Replaces `{name}` by `values.name`. Names without a value stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
