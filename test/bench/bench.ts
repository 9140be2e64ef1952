/**
 * `npm run bench -- <name> [options]`: runs one of the benchmarks beside this file: `load`, which is the usual one, `growth`,
 * `pages`, `page` or `counting`. Each says at its top what it measures, and its options.
 */
const files: Readonly<Record<string, string>> = {
  load: 'under-load.ts',
  growth: 'growth.ts',
  pages: 'pages.ts',
  page: 'page.ts',
  counting: 'counting.ts',
};
const [name = 'load', ...options] = process.argv.slice(2);
const file = files[name];
if (file === undefined)
  throw new Error(`There is no benchmark "${name}", only ${Object.keys(files).join(', ')}`);
process.argv.splice(2, Infinity, ...options);
await import(`./${file}`);
