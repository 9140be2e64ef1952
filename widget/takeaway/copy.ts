/** Copies the result as a text. */

/** What a copy says besides: whose result it is, with number and address, and of which day. */
export type Letterhead = {readonly sender: string; readonly date: string};

/** Lines of text, and rows of cells. */
const lines = '.sample, caption, tbody > :first-child, tfoot > *, h3, details, .estimate, .next p';

/**
 * The text is read from what the visitor sees, so that both say the same.
 *
 * @returns which words tell the visitor whether the browser allowed it
 */
export function copy({shadowRoot}: HTMLElement, {sender, date}: Letterhead): Promise<'copied' | 'notCopied'> {
  const shown = [...(shadowRoot?.querySelectorAll(lines) ?? [])].map((line) => {
    const cells = line.querySelectorAll('th, td, summary, .aside');
    return cells.length > 0 ? [...cells].map(textOf).join(': ') : textOf(line);
  });
  return navigator.clipboard.writeText([sender, ...shown, date].filter(Boolean).join('\n')).then(
    () => 'copied',
    () => 'notCopied',
  );
}

const textOf = ({textContent}: Element) => textContent.replace(/\s+/g, ' ').trim();
