export default {
  trailingSlash: 'always',
  // Astro's pages are rendered by files in the output folder. There they would find another version of this package,
  // that of Express, which this project has, too.
  vite: {environments: {prerender: {resolve: {noExternal: ['cookie']}}}},
};
