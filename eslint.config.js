import {configs as lit} from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';
import {defineConfig} from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Which rooms a room may not enter; see "Architecture" in README.md. */
const closed = (files, ...patterns) => ({
  files: [`${files}/**/*.ts`],
  rules: {'@typescript-eslint/no-restricted-imports': ['error', {patterns}]},
});
const room = (names, message) => ({regex: `^(\\.\\./)+(${names})/`, message});

const contractStaysAlone = room('server|widget|demo|test', 'The contract imports nothing of ours.');
const schemaStaysOnServer = {
  regex: '(^zod|/lead-schema\\.ts$)',
  allowTypeImports: true,
  message: 'zod weighs 20 kB: only the server may take values from it.',
};

export default defineConfig(
  // What uses the built npm package is compiled by a test, once that is there.
  {ignores: ['dist/', 'releases/', 'data/', 'node_modules/', 'test/e2e/package/']},
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {parserOptions: {projectService: {allowDefaultProject: ['*.js', '*.mjs']}}},
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', {fixStyle: 'inline-type-imports'}],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // node:test returns promises that the runner itself awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {from: 'package', name: ['test', 'suite', 'describe', 'it'], package: 'node:test'},
          ],
        },
      ],
    },
  },
  {files: ['**/*.js', '**/*.mjs', '**/*.cjs'], extends: [tseslint.configs.disableTypeChecked]},
  {files: ['**/*.cjs'], rules: {'@typescript-eslint/no-require-imports': 'off'}},
  {
    files: ['widget/**/*.ts'],
    extends: [
      lit['flat/recommended'],
      litA11y.configs['flat/recommended'] ?? {
        plugins: {'lit-a11y': litA11y},
        rules: litA11y.configs.recommended.rules,
      },
    ],
  },
  {
    // expect(x).to.be.true is an expression by design, and equal() returns a promise for snapshots only.
    files: ['test/widget/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {allowForKnownSafeCalls: [{from: 'package', name: 'Equal', package: '@types/chai'}]},
      ],
    },
  },
  {
    files: ['server/**/*.ts'],
    ignores: ['server/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {object: 'process', property: 'env', message: 'Only server/config.ts reads the environment.'},
        ...['ip', 'ips'].map((property) => ({
          property,
          message: 'request.address and request.network are read from the same headers, but from no junk.',
        })),
      ],
    },
  },
  closed('contract', contractStaysAlone, {
    regex: '^[^.]',
    message: 'A browser would have to load it: only lead-schema.ts uses packages.',
  }),
  {
    files: ['contract/lead-schema.ts'],
    rules: {'@typescript-eslint/no-restricted-imports': ['error', {patterns: [contractStaysAlone]}]},
  },
  {
    files: ['widget/**/*.ts'],
    ignores: ['widget/safe-document.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {name: 'document', message: 'Elements of the page can replace its properties: use safeDocument.'},
      ],
    },
  },
  closed('widget', room('server|demo|test', 'The widget never looks into these rooms.'), schemaStaysOnServer),
  closed('server', room('widget|demo|test', 'The server never looks into these rooms.')),
  closed(
    'server/{answers,store}',
    room(
      'widget|demo|test|http|answers|store',
      'The calculator and the stores know neither HTTP nor each other.',
    ),
    {regex: '^(express|cors|helmet)', message: 'The calculator and the stores know nothing of Express.'},
  ),
  closed('server/delivery', room('widget|demo|test|http', 'Deliveries know nothing of who asked.')),
  closed('demo', room('widget/(?!define\\.ts$)|test', 'The demo uses the widget as a partner would.')),
);
