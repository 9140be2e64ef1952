import {unsafeCSS} from 'lit';

/**
 * Tags a style sheet of a later file. Lit's own tag has checks for what is put into the text, which would be in the first file.
 */
export const css = ([text]: TemplateStringsArray) => unsafeCSS(text);
