/** Puts values into texts. It is not in words.ts, because later files use it without the table of fields. */

/** Replaces `{name}` by `values.name`. Names without a value stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
