/** The settings of the environment, alone and in files, and the keys of the file that are values. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {readConfig} from '../../../server/config/config.ts';
import {fileGroups} from '../../../server/config/file.ts';
import {settings} from '../../../server/config/settings.ts';
import {without} from '../../support/sample-leads.ts';
import {runService, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {partner, readWith, settingsWith, wrongIn, wrongWith} from '../../support/wrong-settings.ts';

type Settings = Record<string, string>;

const folder = temporaryFolder({after});
const required = settingsWith();

const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const warningsOf = (environment: Settings) => readConfig({...required, ...environment}).warnings;

suite('the smallest configuration', () => {
  test('an address, a data key and a partner are enough, and the rest has safe defaults', () => {
    assert.partialDeepStrictEqual(readConfig(required), {
      configFile: 'CONFIG',
      callers: [],
      partners: [
        {
          ...partner,
          name: 'acme',
          cid: 'acme',
          leadTypes: ['standard', 'prequalification'],
          answerFrom: undefined,
          sendTo: [],
          quotaPerHour: 1_000,
          suspect: 'deliver',
          mergeDuplicates: 'prequalification',
          withoutScript: 'suspect',
          showsEstimate: false,
          ask: [],
          contextFields: [],
        },
      ],
      retention: {retainDays: undefined, keepConsentYears: 5, graceDays: 30},
      erasuresFile: 'data/leads.sqlite.erasures',
      host: '127.0.0.1',
      destinations: new Map(),
      policy: defaultPolicy,
      confirmations: true,
      proofOfWork: 200,
      rateLimit: 60,
      snippetsPage: true,
      warnings: [],
      notes: [],
    });
  });
  test('a start without any configuration names the command that makes it', async () => {
    const {code, output, errors} = await runService({}, temporaryFolder({after}));
    assert.deepEqual([code, output], [1, '']);
    assert.match(
      errors,
      /:\n {2}There is no \S+\/lead-prequal\.json: "lead-prequal init" writes it, or .*\n$/,
    );
  });
  test('a required setting that is empty or blank counts as missing', () => {
    const missing = {
      PUBLIC_URL: /^PUBLIC_URL is missing$/,
      DATA_KEY: /^DATA_KEY is missing, which a configuration in CONFIG needs: /,
      CONFIG: /^There is no \S+\/lead-prequal\.json: /,
    };
    for (const [name, says] of Object.entries(missing))
      for (const blank of ['', '  ', '\n'])
        assert.match(wrongIn({...required, [name]: blank}).join('\n'), says);
  });
  test('a server with it starts without a build of the form, says where, and ends in order', async (t) => {
    const service = await startService(required, folder);
    t.after(() => service.end('SIGKILL'));
    for (const path of ['/embed/1.0.0/lead-prequal-form.js', '/embed/v1/config']) {
      const response = await fetch(service.url + path, {headers: {origin: 'https://www.partner.example'}});
      assert.equal(response.status, 200, path);
      await response.text();
    }
    assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});
    const printed = service.lines.join('\n');
    assert.match(printed, /\/embed\/\d+\.\d+\.\d+\/lead-prequal-form\.js/);
    assert.match(printed, /https:\/\/leads\.example\.com\/embed\/[\d.]+\/lead-prequal-form\.js/);
    assert.ok(!printed.includes(required['DATA_KEY']!));
  });
});

suite('a setting', () => {
  const refused: [name: string, says: RegExp, values: string[], beside?: Settings][] = [
    ['PUBLIC_URL', /^ must be a URL/, ['leads.example.com', 'javascript:alert(1)']],
    [
      'PUBLIC_URL',
      /^ must have no user/,
      ['https://leads.example.com/#top', 'https://me:x@leads.example.com'],
    ],
    ['TRUST_PROXY', /^ must be a number of proxies/, ['true', '10.0.0.1, proxy', '10.0.0.0/33']],
    ['DATA_KEY', /^\.\d must have at least 32/, ['short', `${'k'.repeat(32)},short`]],
    ['DATA_KEY', /^ must hold a key/, [' , ', 'clear']],
    ['DATA_KEY_FILE', /^ names a file that cannot be read \(EISDIR\)$/, [folder], {DATA_KEY: ''}],
    ['CONFIG_FILE', /^ names a file that cannot be read \(ENOENT\)$/, ['/nowhere/file'], {CONFIG: ''}],
    ['PORT', /^ must be a number from 0 to 65535/, ['eighty', '70000']],
    ['PORT', /^ must be a whole number/, ['80.5']],
    ['LOG_LEVEL', /^ must be one of/, ['loud']],
    ['DRAIN_SECONDS', /^ must be a number from 0 to 600/, ['-1', '601']],
    ['METRICS_PORT', /^ must be a number/, ['x']],
    ['REDIS_URL', /^ must be an address such as redis:/, ['localhost:6379', 'http://localhost:6379']],
    ['REDIS_URL', /^ must be an address/, ['redis://:pass/word@localhost:6379', 'redis://:100%@localhost']],
    ['REDIS_URL', /^ must be an address/, ['redis://localhost:99999', 'redis://localhost/leads']],
    ['ADMIN_URL', /^ must be https:/, ['admin.example.com', 'http://admin.example.com']],
    ['ADMIN_URL', /^ must be https:/, ['https://me@admin.example.com', 'https://admin.example.com.']],
    ['ADMIN_URL', /never an IP address/, ['https://192.0.2.7', 'https://0x7f.1', 'https://[::1]:8081']],
    ['ADMIN_URL', /without a path/, ['https://admin.example.com/leads']],
    ['ADMIN_URL', /^ must have another host than PUBLIC_URL/, ['https://leads.example.com:8443']],
    ['ADMIN_PORT', /^ must be another port than PORT/, ['8080'], {ADMIN_URL: 'https://admin.example.com'}],
    ['ADMIN_PORT', /^ must be a number/, ['80800']],
    ['DATABASE_URL', /^ must be an address such as postgres:/, ['mysql://localhost/leads']],
    ['DATABASE_URL', /^ must be an address/, ['postgres://me:secret@localhost:99999/leads']],
    ['DATABASE_URL', / with one host/, ['postgres://me@one.example,two.example:5432/leads']],
  ];
  for (const [name, says, values, beside] of refused) {
    test(`a wrong setting is refused by its name: ${name} ${values[0]}`, () => {
      for (const value of values) {
        const [line = 'accepted'] = wrongIn({...required, ...beside, [name]: value});
        assert.ok(line.startsWith(name), line);
        assert.match(line.slice(name.length), says, value);
      }
    });
  }
  test('settings are accepted in each right spelling', () => {
    const taken: Settings[] = [
      {REDIS_URL: 'redis://localhost'},
      {REDIS_URL: 'rediss://me:100%25@redis.example:6380/2'},
      {DATABASE_URL: 'postgresql://me@/leads?host=/run/postgresql'},
      {DATABASE_URL: 'postgres:///leads'},
      {DATABASE_URL: 'postgres://me:100%25@db.example:5432/leads?sslmode=require'},
      {PUBLIC_URL: 'https://example.com/leads/'},
      {ADMIN_URL: 'http://localhost:8081', PUBLIC_URL: 'http://localhost:8080'},
    ];
    for (const environment of taken) assert.deepEqual(wrongIn({...required, ...environment}), []);
    assert.equal(readConfig({...required, PUBLIC_URL: 'https://a.example//'}).publicUrl, 'https://a.example');
  });
  test('wrong settings are refused together with the faults of the file', () => {
    const wrong = wrongWith({rate_limit: 0, callers: [{user: 'a:b'}]}, {PORT: 'x', PUBLIC_URL: 'nowhere'});
    assert.deepEqual(
      wrong.map((line) => line.split(' ')[0]),
      [
        'PUBLIC_URL',
        'PORT',
        'callers.0.user:',
        'callers.0.password_sha256:',
        'callers.0.cids:',
        'rate_limit:',
      ],
    );
  });
  test('no value of a setting or key is ever printed, however wrong', () => {
    const secret = 'canary-of-settings';
    const all = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, secret]));
    const keys = Object.values(fileGroups).flatMap((group) => Object.keys(group));
    const inFile = Object.fromEntries(keys.map((key) => [key, secret]));
    const caller = {user: `${secret}:`, password_sha256: secret, cids: secret};
    for (const CONFIG of [secret, JSON.stringify(inFile), JSON.stringify({callers: [caller]})]) {
      const lines = wrongIn({...all, CONFIG});
      assert.ok(lines.length > 5);
      assert.ok(!lines.join('\n').includes(secret), lines.join('\n'));
    }
  });
  test("the operators' pages have an origin and a port, or there are none", () => {
    const {admin} = readConfig({...required, ADMIN_URL: 'HTTPS://Admin.Leads.example:443/'});
    assert.deepEqual(admin, {url: 'https://admin.leads.example', port: 8081});
    assert.equal(readConfig(required).admin, undefined);
  });
  test('data keys take any separators, and the word of 1.8 for data in clear is none', () => {
    const [one, two] = ['n'.repeat(32), 'o'.repeat(32)];
    for (const DATA_KEY of [`${one} ${two}`, `${one},${two}`, `${one}\n${two} clear`])
      assert.deepEqual(readConfig({...required, DATA_KEY}).dataKeys, [one, two]);
  });
});

suite('a key of the file', () => {
  const refused: [keys: object, says: RegExp][] = [
    [
      {withdrawn_versions: ['1.0.0', 'v1']},
      /^withdrawn_versions\.1: must be an exact version such as 1\.0\.0/,
    ],
    [
      {sign_in_exempt: ['10.0.0.0/8', 'office']},
      /^sign_in_exempt: is no list of addresses: part 2 is neither/,
    ],
    [{retain_days: 0}, /^retain_days: must be at least 1$/],
    [{retain_days: 36_501}, /^retain_days: must be at most 36500$/],
    [{retain_days: 1.5}, /^retain_days: must be a whole number$/],
    [{retain_days: 'forever'}, /^retain_days: must be a number$/],
    [{retain_grace_days: -1}, /^retain_grace_days: must be at least 0$/],
    [{keep_consent_years: 101}, /^keep_consent_years: must be at most 100$/],
    [{rate_limit: 0}, /^rate_limit: must be at least 1$/],
    [{confirmations: 'off'}, /^confirmations: must be true or false$/],
    [{alerts_to: ['me']}, /^alerts_to\.0: must be an e-mail address$/],
    [
      {policy: {...defaultPolicy, rollover: {minimum: -5}}},
      /^policy\.rollover\.minimum: must be at least 0$/,
    ],
    [{partner: []}, /^the file: has an unknown field: partner: did you mean partners\?$/],
    [{magenta: 1}, /^the file: has an unknown field: magenta$/],
  ];
  for (const [keys, says] of refused) {
    test(`a wrong key of the file is refused by its name: ${JSON.stringify(keys).slice(0, 35)}`, () => {
      const [line = 'accepted', ...others] = wrongWith(keys);
      assert.match(line, says);
      assert.deepEqual(others, []);
    });
  }
  test('each key of the file is in force', () => {
    const policy = {...defaultPolicy, version: 'ours'};
    const read = readWith({
      ...{policy, retain_days: 730, retain_grace_days: 0, keep_consent_years: 0, confirmations: false},
      ...{proof_of_work: 0, rate_limit: 7, snippets_page: false, withdrawn_versions: ['1.0.0']},
      ...{erasures_file: 'erased', $schema: 'https://leads.example.com/schemas/lead-prequal.json'},
    });
    assert.partialDeepStrictEqual(read, {
      ...{policy, confirmations: false, proofOfWork: 0, rateLimit: 7, snippetsPage: false},
      ...{retention: {retainDays: 730, graceDays: 0, keepConsentYears: 0}, withdrawnVersions: ['1.0.0']},
      erasuresFile: 'erased',
    });
    assert.match(read.notes.join(), /^A lead whose deliveries have not ended stays 0 days longer/);
    assert.equal(readWith({}, {DATABASE_URL: 'postgres:///leads'}).erasuresFile, undefined);
  });
});

suite('a setting in a file', () => {
  for (const [name, value] of Object.entries(required)) {
    test(`a file stands for ${name}`, () => {
      const path = file(name, `${value}\n`);
      const {environment, ...config} = readConfig({...required, [name]: '', [`${name}_FILE`]: path});
      const {environment: before, ...expected} = readConfig(required);
      const places = {CONFIG: {configFile: path}, DATA_KEY: {dataKeyFile: path}}[name];
      assert.deepEqual(config, {...expected, ...places});
      // It has the digest of what a reload cannot read again.
      assert.deepEqual(Object.keys(environment), Object.keys(without(before, name)));
    });
  }
  test('a file gives way to the setting itself', () => {
    const {dataKeys} = readConfig({...required, DATA_KEY_FILE: file('other-key', 'o'.repeat(32))});
    assert.deepEqual(dataKeys, [required['DATA_KEY']]);
  });
  const blanks = {nothing: '', 'a line break': '\r\n', 'a byte order mark': '\uFEFF', zeros: '\0'.repeat(64)};
  for (const [what, blank] of Object.entries(blanks)) {
    test(`a file that holds only ${what} is a fault of every setting, also of those with a default`, () => {
      const path = file('blank', blank);
      const crm = {type: 'webhook', url: 'https://crm.example', credentials: 'CRM'};
      const given = settingsWith({partners: [{...partner, send_to: ['crm']}], destinations: {crm}});
      for (const name of [...Object.keys(settings.shape), 'CREDENTIALS_CRM_SECRET'])
        assert.equal(
          wrongIn({...given, [name]: '', [`${name}_FILE`]: path})[0],
          `${name}_FILE ${path}: holds nothing: fill it, or remove it`,
        );
    });
  }
  test('half of lead-prequal.json is a fault, and so are zeros in its place', async () => {
    const here = temporaryFolder({after});
    const usual = join(here, 'lead-prequal.json');
    const errorsOf = async () => (await runService(without(required, 'CONFIG') as Settings, here)).errors;
    writeFileSync(usual, required['CONFIG']!.slice(0, 20));
    assert.match(await errorsOf(), /^ +lead-prequal\.json:1:21: is not valid JSON: [a-z ]+ expected$/m);
    writeFileSync(usual, '\0'.repeat(64));
    assert.match(await errorsOf(), /^ +lead-prequal\.json: holds nothing: fill it, or remove it$/m);
  });
});

suite('a setting that has no effect', () => {
  for (const zone of ['Europe/Berln', 'europe/berlin', 'Nowhere', '/etc/localtime', 'CET-1CEST']) {
    test(`a time zone that does not exist is warned of: ${zone}`, () => {
      assert.deepEqual(warningsOf({TZ: zone}), [
        'TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
      ]);
    });
  }
  test('a time zone that exists is taken', () => {
    for (const TZ of ['America/New_York', 'UTC', 'UTC0', 'CET-1', ':Europe/Berlin', 'EST5EDT', ''])
      assert.deepEqual(warningsOf({TZ}), []);
  });
  const DATABASE_URL = 'postgres://localhost/leads';
  const noPages = "ADMIN_PORT is not used, because there are no operators' pages without ADMIN_URL";
  const isEmpty =
    'DATABASE_URL is empty, which counts as not set: leads are stored in the SQLite file of DATABASE_PATH';
  const former = 'RETAIN_DAYS is no setting since 2.0, and has no effect: remove it';
  const rows: [environment: Settings, ...warnings: string[]][] = [
    [{DATABASE_URL, DATABASE_PATH: 'leads.sqlite'}],
    [{ADMIN_PORT: '8082'}, noPages],
    [{METRICS_HOST: '::'}, 'METRICS_HOST is not used, because there are no metrics without METRICS_PORT'],
    [{DATABASE_URL: ' '}, isEmpty],
    [{DATABASE_URL_FILE: ''}, isEmpty],
    [{DATABASE_URL, DATABASE_URL_FILE: ''}],
    [{REDIS_URL: '', RETAIN_DAYS: '', LOG_LEVEL: ''}],
    [
      {DATABASE_PATH: '"data/leads.sqlite"', HOST: "'0.0.0.0'", LOG_LEVEL: 'info'},
      ...['HOST', 'DATABASE_PATH'].map((name) => `${name} is in quotes, which are a part of its value here`),
    ],
    [{RETAIN_DAYS: '30'}, former],
    [{RETAIN_DAYS_FILE: '/nowhere'}, former],
    // Names near that of a setting are those of platforms, mostly.
    [{REDIS_URI: 'x', LOGLEVEL: 'x', UPSTREAM_PORT: 'tcp://10.0.0.1:80', EMBED_SERVICE_HOST: 'x'}],
  ];
  for (const [environment, ...warnings] of rows) {
    test(`settings without effect are warned of: ${JSON.stringify(environment).slice(0, 45)}`, () => {
      assert.deepEqual(warningsOf(environment), warnings);
    });
  }
});

suite('a server of 1.8 that has no file yet', () => {
  test('a start with settings of 1.8 and no file names the command that takes them over', () => {
    const old = {
      PORT: 'x',
      CALLERS: 'canary',
      PARTNERS_FILE: '/x',
      UPSTREAM_PASSWORD_FILE: '/y',
      TOKEN_KEY: 'k',
    };
    assert.deepEqual(wrongIn(old), [
      'Since 2.0, one file holds what these settings of 1.8 say: CALLERS, PARTNERS_FILE, UPSTREAM_PASSWORD. "lead-prequal config upgrade" shows it and what else to do, and with --write it writes it. If there was no 1.8 here, "lead-prequal init" writes a new one.',
    ]);
  });
  test('token keys of 1.8 stay valid behind those that are made of the data key', () => {
    const [DATA_KEY, former] = [`${'n'.repeat(32)} ${'o'.repeat(32)}`, ['s'.repeat(32), 't'.repeat(32)]];
    const TOKEN_KEY = former.join(',');
    const read = readWith({}, {DATA_KEY, TOKEN_KEY, EVIDENCE_KEY_FILE: file('evidence', 'e'.repeat(32))});
    const {tokenKeys: made} = readWith({}, {DATA_KEY});
    assert.equal(made.length, 2);
    assert.deepEqual(read.tokenKeys, [...made, ...former]);
    assert.deepEqual(read.formerEvidenceWords, ['e'.repeat(32)]);
    assert.deepEqual(read.warnings, []);
    // Whoever knows a token key knows no data key.
    for (const key of made) assert.ok(!DATA_KEY.includes(key) && key.length === 43);
    assert.deepEqual(readWith({}, {DATA_KEY: 'o'.repeat(32)}).tokenKeys, made.slice(1));
  });
});
