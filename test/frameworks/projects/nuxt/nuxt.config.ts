export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  telemetry: false,
  runtimeConfig: {public: {endpoint: ''}},
  app: {head: {link: [{rel: 'icon', href: 'data:,'}]}},
  vue: {compilerOptions: {isCustomElement: (tag) => tag === 'lead-prequal-form'}},
});
