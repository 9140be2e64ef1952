/** Where a form that is loaded again finds the lead it sent, to show its result; kept by the answer file. */
export const receiptName = ({partner, leadType}: {readonly partner: string; readonly leadType: string}) =>
  `lead-prequal:${partner}:${leadType}`;
