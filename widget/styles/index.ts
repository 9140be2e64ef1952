/** Of the form, and of everything that the answer shares with it. */
import {fields} from './fields.ts';
import {layout} from './layout.ts';
import {theme} from './theme.ts';

export const formStyles = [theme, fields, layout];
