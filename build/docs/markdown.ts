/** Writes Markdown tables, and replaces the tables of a document. */
import {format, resolveConfig} from 'prettier';

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The text as Markdown code. Empty for an absent text. */
export const code = (text: string | undefined) => (text ? `\`${text}\`` : '');

/** The text as a block of code. */
export const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export type Tables = Readonly<Record<string, () => string>>;

/**
 * @param file the path of the document, for its formatting and for errors
 * @returns the text with new tables between each `<!-- table: name -->` and `<!-- /table -->`
 * @throws Error when the text names a table that does not exist
 */
export async function fillTables(file: string, text: string, tables: Tables): Promise<string> {
  const filled = text.replace(
    /(<!-- table: ([\w-]+) -->)[^]*?(<!-- \/table -->)/g,
    (_, open: string, name: string, close: string) => {
      const make = tables[name];
      if (!make) throw new Error(`${file} asks for a table that does not exist: ${name}`);
      return `${open}\n\n${make()}\n\n${close}`;
    },
  );
  return format(filled, {...(await resolveConfig(file)), parser: 'markdown'});
}
