/** The styles of the first file: those of the first screen, and what the later screens share with it. */
import {fields} from './fields.ts';
import {layout} from './layout.ts';
import {theme} from './theme.ts';

export const formStyles = [theme, fields, layout];
