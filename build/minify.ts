/** Minifies the templates before the bundler runs, and each file after it. */
import {minifyHTMLLiterals} from 'minify-literals';
import {minify as minifyWithTerser} from 'terser';
import {minify, type Plugin} from 'vite';

export const minifyTemplates: Plugin = {
  name: 'minify-templates',
  enforce: 'pre',
  async transform(code, id) {
    if (!/\/(widget|form\/(styles|views))\/.*\.ts$/.test(id) || !/(html|css|svg|mathml)`/.test(code))
      return null;
    // It minifies no style sheet of a file that has unsafeCSS, and would say so at each build. These files have none.
    const css = code.includes('unsafeCSS') ? {css: false as const} : {};
    const minified = await minifyHTMLLiterals(code, {fileName: id, ...css});
    if (!minified) return null;
    // The tag of the styles in form/ does nothing once they are minified.
    const plain = id.includes('/form/styles/') ? minified.code.replace(/= css`/g, '=     `') : minified.code;
    return {code: plain, map: null};
  },
};

/**
 * Chrome compiles all functions of a file that begins with this line while the file arrives, on another thread. Otherwise
 * it compiles each when it is called, which took a third of the time of the first render.
 */
export const compileAll = '//# allFunctionsCalledOnLoad';

/**
 * Minifies a file twice, because Vite's minifier and terser together save 1 % more than terser alone.
 *
 * @param preamble the first line of the file
 */
export const minifyFile = (preamble?: string): Plugin => ({
  name: 'minify-file',
  renderChunk: {
    order: 'post',
    async handler(code, {fileName}) {
      const once = await minify(fileName, code, {module: true});
      const twice = await minifyWithTerser(once.code, {
        module: true,
        compress: {passes: 3},
        format: preamble === undefined ? {} : {preamble},
      });
      return {code: twice.code ?? '', map: null};
    },
  },
});
