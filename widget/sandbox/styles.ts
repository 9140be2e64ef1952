/** The styles of the mark that says that the form is a sample. It is also seen in print and with forced colours. */
import {css} from 'lit';

export const sandboxStyles = css`
  .sample {
    border: 2px dashed;
    border-radius: var(--_corner);
    font-size: 0.875em;
    margin-block-end: 20px;
    padding: 8px 12px;
    text-wrap: balance;
  }
  .sample strong {
    letter-spacing: 0.06em;
    text-transform: uppercase;
  }
`;
