import {safeDocument} from './safe-document.ts';

/** Milliseconds on the clock of `event.timeStamp`. Pages have a `performance` of their own, but no event does. */
export const now = (): number => safeDocument.createEvent('Event').timeStamp;
