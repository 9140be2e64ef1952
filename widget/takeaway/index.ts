/** The later file `takeaway`: copies the result as a text, or prints it. */
export {copy} from './copy.ts';
export {print} from './print.ts';
