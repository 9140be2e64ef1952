/** The styles of the printed result. */
import {css} from '../styles/css.ts';

export const printStyles = css`
  @media print {
    .card {
      border: 0;
      padding: 0;
    }
    .actions {
      display: none;
    }
    .sender {
      margin-block-end: 24px;
    }
    tbody {
      break-inside: avoid;
    }
  }
`;
