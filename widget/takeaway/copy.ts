/** Copies the result as a text. */

/** Lines of text, and rows of cells. */
const lines = '.sample, caption, tbody > :first-child, tfoot > *, h3, dl > *, .estimate, .next p';

/**
 * The text is read from what the visitor sees, so that both say the same.
 *
 * @returns which words tell the visitor whether the browser allowed it
 */
export function copy({shadowRoot}: HTMLElement): Promise<'copied' | 'notCopied'> {
  const text = [...(shadowRoot?.querySelectorAll(lines) ?? [])]
    .map((line) => {
      const cells = line.querySelectorAll('th, td, dt, dd');
      return cells.length > 0 ? [...cells].map(textOf).join(': ') : textOf(line);
    })
    .join('\n');
  return navigator.clipboard.writeText(text).then(
    () => 'copied',
    () => 'notCopied',
  );
}

const textOf = ({textContent}: Element) => textContent.replace(/\s+/g, ' ').trim();
