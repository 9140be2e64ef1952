/** The styles of the buttons, of the total while it counts up, and of the printed result. */
import {css} from 'lit';

export const takeawayStyles = css`
  .take {
    column-gap: 24px;
    display: flex;
    flex: 1 0 100%;
    flex-wrap: wrap;
  }
  .total[data-drawn] span {
    clip-path: inset(50%);
    position: absolute;
  }
  .total[data-drawn]::after {
    content: attr(data-drawn);
    content: attr(data-drawn) / '';
  }
  @media print {
    .card {
      border: 0;
      padding: 0;
    }
    .actions {
      display: none;
    }
    tbody {
      break-inside: avoid;
    }
  }
`;
