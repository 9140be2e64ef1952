import {configs as lit} from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';
import {defineConfig} from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Which rooms a room may not enter; see CONTRIBUTING.md. */
const closed = (files, ...patterns) => ({
  files: [`${files}/**/*.ts`],
  rules: {'@typescript-eslint/no-restricted-imports': ['error', {patterns}]},
});
const room = (names, message) => ({regex: `^(\\.\\./)+(${names})/`, message});

const contractStaysAlone = room(
  'server|calculator|form|widget|demo|test',
  'The contract imports nothing of ours.',
);
const noZod = {regex: '^zod', message: 'zod weighs 20 kB: only the server uses it.'};

/**
 * The rooms of each house, each with the rooms that it may look into, which stand before it: so there is no circle. All of
 * them may look into `contract/`.
 */
const mayLookInto = {
  server: {
    html: [],
    config: [],
    observe: ['config'],
    versions: ['config'],
    snippets: ['config', 'html', 'versions'],
    reload: ['config', 'observe'],
    leads: ['config', 'observe', 'reload', 'versions'],
    store: ['config', 'observe', 'leads', 'reload', 'versions'],
    destinations: ['config', 'observe', 'leads', 'html'],
    http: ['config', 'html', 'observe', 'leads', 'versions', 'snippets'],
    admin: ['config', 'observe', 'leads', 'reload', 'versions', 'store', 'destinations'],
    pages: ['admin', 'config', 'html', 'http', 'leads', 'observe', 'reload', 'store'],
    cli: ['admin', 'config', 'leads', 'observe', 'pages', 'snippets', 'versions'],
  },
  widget: {
    page: [],
    styles: ['page'],
    fields: ['page'],
    takeaway: ['page', 'styles', 'fields'],
    sandbox: ['page', 'styles'],
    dialog: ['page', 'styles', 'fields'],
    'opaque-frame': ['page', 'styles', 'fields'],
    submission: ['page', 'styles', 'fields', 'takeaway'],
    // What the later files share with the first one, and the types of what they hold.
    loading: ['page', 'fields', 'submission'],
    debug: ['page', 'styles', 'fields', 'loading', 'submission'],
  },
};

/** @param furtherPatterns gives the patterns of imports that are forbidden in a room besides those of other rooms */
function roomsOf(house, furtherPatterns) {
  const rooms = Object.keys(mayLookInto[house]);
  return rooms.flatMap((name, index) => {
    const allowed = mayLookInto[house][name];
    const after = allowed.filter((other) => !rooms.slice(0, index).includes(other));
    if (after.length > 0) throw new Error(`${name}/ may not look into ${after.join(', ')}, listed after it.`);
    const others = rooms.filter((other) => other !== name && !allowed.includes(other));
    // Files of a room, and those of a folder in it, such as store/sqlite.
    return ['', '/*'].map((depth) => ({
      files: [`${house}/${name}${depth}/*.ts`],
      rules: {
        '@typescript-eslint/no-restricted-imports': [
          'error',
          {
            patterns: [
              room(
                others.join('|'),
                `The rooms of ${house}/ that ${name}/ may look into: ${allowed.join(', ') || 'none'}.`,
              ),
              {
                regex: `^${depth ? '\\.\\./\\.\\.' : '\\.\\.'}/[\\w-]+\\.ts$`,
                message: 'A room knows nothing of the files above it.',
              },
              ...furtherPatterns(name),
            ],
          },
        ],
      },
    }));
  });
}

const ofServer = (name) => [
  room('widget|demo|test|build', 'The server never looks into these rooms.'),
  ...(['http', 'pages'].includes(name)
    ? []
    : [{regex: '^express', message: 'Only http/ and pages/ know Express.'}]),
  ...(name === 'pages' ? [] : [{regex: '^@simplewebauthn', message: 'Only pages/ knows passkeys.'}]),
  ...(name === 'destinations'
    ? [
        {
          regex: '/leads/ports\\.ts$',
          allowImportNames: ['OutboxPort', 'PausePort', 'AddressPort'],
          message: 'What sends leads on sees the outbox, its pauses and addresses alone.',
        },
        {
          regex: '/leads/(?!ports)',
          importNamePattern: '(Store|Reader)$',
          message: 'What sends leads on sees the outbox, its pauses and addresses alone.',
        },
      ]
    : []),
  ...(['destinations', 'pages', 'cli'].includes(name)
    ? [
        {
          regex:
            '/(?:leads/(?:may-call|call-hours|state-call-hours|area-codes|time-there)|admin/(?:stops|lead-view))\\.ts$',
          allowTypeImports: true,
          // These decide nothing.
          allowImportNames: ['timeZonesOf', 'listSuppressions', 'suppressionRow'],
          message: 'leads/lead-view.ts decides about calls, stops and hours: write down what it says.',
        },
      ]
    : []),
  ...(name === 'observe'
    ? []
    : [{regex: '^(pino|prom-client)', message: 'Only observe/ knows these libraries: emit an observation.'}]),
];

/** Which ports a function needs is what it can touch. */
const namedPorts = [
  {
    regex: '/leads/ports\\.ts$',
    importNames: ['LeadStore', 'AttachedStore'],
    message: 'Name the ports of the store.',
  },
  {regex: '^\\./admin\\.ts$', importNames: ['Admin'], message: 'Name the ports of the store: With<Port>.'},
];
const serverRooms = [
  ...roomsOf('server', ofServer),
  ...roomsOf('server', (name) => [...ofServer(name), ...namedPorts]).map((room) => ({
    ...room,
    ignores: ['server/store/**', 'server/admin/{admin,attached}.ts'],
  })),
];

const widgetLooksOutside = [
  room('server|demo|test|build', 'The widget looks into contract/, calculator/ and form/ alone.'),
  noZod,
];

const normalize = {
  selector: 'MemberExpression[property.name=normalize]',
  message: 'Many marks in a row make it slow: contract/normalized.ts has a limit.',
};
const arrayFrom = {
  selector: 'MemberExpression[object.name=Array][property.name=from]',
  message: 'That of Prototype.js and of old MooTools ignores its second argument: use [...list].map().',
};
const lookbehind = {
  selector: 'Literal[regex.pattern=/\\(\\?<[=!]/]',
  message: 'Safari before 16.4 refuses a whole file of the form that has a lookbehind.',
};

export default defineConfig(
  // What uses the built npm package is compiled by a test, once that is there.
  {
    ignores: [
      'dist/',
      'releases/',
      'data/',
      'node_modules/',
      'test/e2e/package/',
      'test/frameworks/*/',
      'test/clients/generated/',
    ],
  },
  tseslint.configs.recommendedTypeChecked,
  {
    // One program of all rooms. With the rooms' own programs, the types of a file are checked in each that imports it.
    languageOptions: {parserOptions: {project: './tsconfig.lint.json'}},
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
    files: ['test/widget/**/*.ts', 'test/support/browser/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {allowForKnownSafeCalls: [{from: 'package', name: 'Equal', package: '@types/chai'}]},
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.name=/^(test|it|suite|describe)$/] > Literal:first-child[value=/^.{91}/]',
          message: 'A title says one behaviour in at most 90 characters.',
        },
      ],
    },
  },
  {files: ['server/**/*.ts'], rules: {'no-restricted-syntax': ['error', normalize]}},
  {
    files: ['{calculator,contract,form,widget}/**/*.ts'],
    rules: {'no-restricted-syntax': ['error', normalize, lookbehind, arrayFrom]},
  },
  {files: ['contract/normalized.ts'], rules: {'no-restricted-syntax': ['error', lookbehind, arrayFrom]}},
  {
    files: ['server/**/*.ts'],
    ignores: ['server/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {object: 'process', property: 'env', message: 'Only server/config/ reads the environment.'},
        ...['ip', 'ips'].map((property) => ({
          property,
          message: 'request.address and request.network are read from the same headers, but from no junk.',
        })),
      ],
    },
  },
  // It would print control characters and hidden ones that strangers wrote: output.ts has functions that do not.
  {files: ['server/cli/*.ts'], rules: {'no-console': 'error'}},
  closed('contract', contractStaysAlone, {
    regex: '^[^.]',
    message: 'A browser would have to load it: only the server uses packages.',
  }),
  {
    files: ['widget/**/*.ts'],
    ignores: ['widget/page/safe-document.ts', 'widget/page/{builtins,native}.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {name: 'document', message: 'Elements of the page can replace its properties: use safeDocument.'},
        ...['Promise', 'URL'].map((name) => ({
          name,
          message: 'Pages replace it: import it from page/builtins.ts.',
        })),
        ...['Document', 'Element', 'Node', 'Event'].map((name) => ({
          name,
          message: 'Pages have others of this name: reach its prototype by way of an object.',
        })),
      ],
    },
  },
  closed(
    'calculator',
    room('server|form|widget|demo|test|build', 'The calculator looks into contract/ alone.'),
    {
      regex: '^[^.]',
      message: 'The calculator is pure, and needs no package.',
    },
  ),
  closed('form', room('server|widget|demo|test|build', 'form/ looks into contract/ and calculator/ alone.'), {
    regex: '^(?!lit/html\\.js$)[^.]',
    message: 'The form needs no package but the tags of its templates.',
  }),
  closed('widget', ...widgetLooksOutside),
  ...roomsOf('widget', () => widgetLooksOutside),
  ...serverRooms,
  closed('demo', room('widget/(?!define\\.ts$)|test', 'The demo uses the widget as a partner would.')),
);
