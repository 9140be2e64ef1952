/** A setting whose name is misspelt is refused by that name; what platforms put into an environment is not. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {readConfig} from '../../../server/config/config.ts';
import {wrongIn} from '../../support/wrong-settings.ts';

const folder = temporaryFolder({after});
const partnersFile = join(folder, 'partners.json');
writeFileSync(
  partnersFile,
  JSON.stringify({
    upstreams: {lender: {url: 'https://api.lender.example', cid: '77', credentials: 'LENDER'}},
    partners: [{key: 'acme', origins: ['https://www.acme.example'], cid: '1001', upstream: 'lender'}],
  }),
);

const required: Record<string, string> = {
  PUBLIC_URL: 'https://leads.example.com',
  CALLERS: JSON.stringify([{user: 'acme', password: 'secret-of-acme', cids: ['1001']}]),
  EMBED_ORIGINS: 'https://www.partner.example',
  TOKEN_KEY: 'k'.repeat(32),
};
const withFile = {
  ...required,
  EMBED_ORIGINS: '',
  PARTNERS_FILE: partnersFile,
  CREDENTIALS_LENDER_USER: 'us',
  CREDENTIALS_LENDER_PASSWORD: 'secret-of-lender',
};
const without = (name: string, settings: Record<string, string> = required) =>
  Object.fromEntries(Object.entries(settings).filter(([one]) => one !== name));

suite('a misspelt setting is refused, and the right one is named', () => {
  const value = 'canary-of-a-value';
  for (const [name, meant] of [
    ['PROOF_OF_WROK', 'PROOF_OF_WORK'],
    ['PROOF_OFF_WORK', 'PROOF_OF_WORK'],
    ['RATELIMIT', 'RATE_LIMIT'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['RATE_LIMT', 'RATE_LIMIT'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['TRUST_PORXY', 'TRUST_PROXY'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_PATH', 'DATABASE_PATH'],
    ['REDIS_ULR', 'REDIS_URL'],
    ['REDIS_URL_FLIE', 'REDIS_URL_FILE'],
    ['PARTNER_FILE', 'PARTNERS_FILE'],
    ['POLICY_FILES', 'POLICY_FILE'],
    ['ON_AMBIGOUS', 'ON_AMBIGUOUS'],
    ['OUTBOX_PER_SECONDS', 'OUTBOX_PER_SECOND'],
    ['EMBED_LEAD_TYPE', 'EMBED_LEAD_TYPES'],
    ['EVIDENCE_KEYS', 'EVIDENCE_KEY'],
    ['UPSTREAM_PASSWROD', 'UPSTREAM_PASSWORD'],
  ] as const) {
    test(`a misspelt setting is refused, and the right one is named: ${name}: ${meant}`, () => {
      assert.deepEqual(wrongIn({...required, [name]: value}), [
        `${name} is not a setting: did you mean ${meant}?`,
      ]);
    });
  }
  for (const [name, meant] of [
    ['CALLER', 'CALLERS'],
    ['EMBED_ORIGIN', 'EMBED_ORIGINS'],
    ['TOKEN_KEYS', 'TOKEN_KEY'],
    ['TOKENKEY_FILE', 'TOKEN_KEY_FILE'],
  ] as const) {
    test(`the misspelt ${name} is refused beside the missing ${meant}`, () => {
      assert.deepEqual(wrongIn({...without(meant.replace(/_FILE$/, '')), [name]: value}), [
        `${meant.replace(/_FILE$/, '')} is missing`,
        `${name} is not a setting: did you mean ${meant}?`,
      ]);
    });
  }
  test('a misspelt CREDENTIALS_LENDER_PASWORD is refused, and the right name is said', () => {
    const name = 'CREDENTIALS_LENDER_PASWORD';
    assert.deepEqual(wrongIn({...without('CREDENTIALS_LENDER_PASSWORD', withFile), [name]: value}), [
      'CREDENTIALS_LENDER_PASSWORD is missing, which the destination lender of PARTNERS_FILE needs',
      `${name} is not a setting: did you mean CREDENTIALS_LENDER_PASSWORD?`,
    ]);
  });
});

suite('a name with a beginning that only settings have', () => {
  for (const name of ['EMBED_COLOUR', 'EMBED_ORIGINS_2', 'UPSTREAM_TIMEOUT']) {
    test(`is refused: ${name}`, () => {
      for (const environment of [required, withFile]) {
        assert.deepEqual(wrongIn({...environment, [name]: 'x'}), [
          `${name} is not a setting: remove it, or correct its name`,
        ]);
      }
    });
  }
  test('a name that begins like a setting is taken if an upstream has these credentials', () => {
    assert.deepEqual(wrongIn(withFile), []);
    const password = join(folder, 'password');
    writeFileSync(password, 'secret-of-lender');
    const inFile = {
      ...without('CREDENTIALS_LENDER_PASSWORD', withFile),
      CREDENTIALS_LENDER_PASSWORD_FILE: password,
    };
    assert.deepEqual(wrongIn(inFile), []);
  });
  test('a name that begins like a setting is left alone if the partners file cannot be read', () => {
    assert.deepEqual(wrongIn({...withFile, PARTNERS_FILE: '/nowhere'}), [
      'PARTNERS_FILE names a file that cannot be read (ENOENT)',
    ]);
  });
});

suite('a secret that no destination uses any more', () => {
  for (const name of [
    'CREDENTIALS_OTHER_USER',
    'CREDENTIALS_OTHER_PASSWORD_FILE',
    'CREDENTIALS_OTHER_SECRET',
    'CREDENTIALS_OTHER_URL',
    // Near a name that is used, which has a value of its own.
    'CREDENTIALS_LENDER2_PASSWORD',
  ]) {
    test(`is warned of, and the start goes on: ${name}`, () => {
      for (const environment of [required, withFile]) {
        assert.deepEqual(readConfig({...environment, [name]: 'canary-of-a-value'}).warnings, [
          `${name} is not used by any destination: remove it`,
        ]);
      }
    });
  }
  test('an unused secret is reported as a misspelling if a near one is missing', () => {
    const name = 'CREDENTIALS_LENDR_PASSWORD';
    assert.deepEqual(wrongIn({...without('CREDENTIALS_LENDER_PASSWORD', withFile), [name]: 'x'}), [
      'CREDENTIALS_LENDER_PASSWORD is missing, which the destination lender of PARTNERS_FILE needs',
      `${name} is not a setting: did you mean CREDENTIALS_LENDER_PASSWORD?`,
    ]);
  });
});

suite('what is no misspelt setting is left alone', () => {
  const ofPlatforms = `
    PATH HOME PWD USER LOGNAME SHELL HOSTNAME HOSTS LANG LC_ALL TERM SHLVL TZ TMPDIR EDITOR MAIL HOST_IP PORTS
    NODE_ENV NODE_OPTIONS npm_config_loglevel npm_package_name npm_lifecycle_event INIT_CWD
    KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR
    UPSTREAM_SERVICE_HOST UPSTREAM_SERVICE_PORT UPSTREAM_PORT UPSTREAM_PORT_80_TCP UPSTREAM_PORT_80_TCP_PROTO
    UPSTREAM_NAME UPSTREAM_ENV_VERSION EMBED_SERVICE_PORT_HTTP EMBED_PORT_8080_TCP_ADDR
    REDIS_HOST REDIS_PORT REDIS_PORT_6379_TCP REDIS_SERVICE_HOST REDIS_USER REDIS_PASSWORD REDIS_TLS_URL REDIS_DB
    REDIS_SSL DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASS DATABASE_PASSWORD DATABASE_SSL
    DATABASE_AUTH DATABASE_TYPE DATABASE_SCHEMA DATABASE_PRIVATE_URL DATABASE_PUBLIC_URL DATABASE_CONNECTION_POOL_URL
    POSTGRES_URL PGHOST PGPORT PGUSER PGDATABASE HEROKU_POSTGRESQL_BLUE_URL DYNO STACK
    RAILWAY_PUBLIC_DOMAIN RENDER_EXTERNAL_URL FLY_APP_NAME VERCEL_URL PUBLIC_IP PUBLIC_DIR PUBLIC_DOMAIN
    WEBSITE_SITE_NAME K_SERVICE K_REVISION GOOGLE_CLOUD_PROJECT AWS_REGION ECS_CONTAINER_METADATA_URI
    CREDENTIALS_DIRECTORY STATE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY INVOCATION_ID JOURNAL_STREAM LISTEN_FDS
    NOTIFY_SOCKET TOKEN TOKEN_FILE API_KEY TOKEN_URL LOG_FORMAT LOG_FILE LOG_DIR RATE POLICY HTTP_PROXY NO_PROXY
    TRUST_STORE TEST_DATABASE_URL TEST_REDIS_URL`
    .trim()
    .split(/\s+/);
  for (const name of ofPlatforms) {
    test(`what is no misspelt setting is left alone: ${name}`, () =>
      assert.deepEqual(wrongIn({...required, [name]: 'tcp://10.0.0.1:80'}), []));
  }
  test('a name near that of a setting is left alone if the setting itself is set', () => {
    const redis = 'redis://10.0.0.1:6379';
    assert.deepEqual(wrongIn({...required, REDIS_URI: redis, REDIS_URL: redis}), []);
  });
  test('a misspelt name without a value is left alone', () => {
    assert.deepEqual(wrongIn({...required, RATE_LIMITS: '', EMBED_COLOUR: ' '}), []);
  });
});
