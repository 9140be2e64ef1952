/**
 * `npm run bench -- <name> [options]`: runs one of the benchmarks beside this file: `load`, which is the usual one, `growth`,
 * `pages` or `page`. Each says at its top what it measures, and its options.
 */
const names = ['load', 'growth', 'pages', 'page'];
const [name = 'load', ...options] = process.argv.slice(2);
if (!names.includes(name)) throw new Error(`There is no benchmark "${name}", only ${names.join(', ')}`);
process.argv.splice(2, Infinity, ...options);
await import(`./${name}.ts`);
