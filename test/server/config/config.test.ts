import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {readConfig} from '../../../server/config/config.ts';
import {partnerSettings} from '../../../server/config/environment.ts';
import {settings} from '../../../server/config/settings.ts';
import {leadApi} from '../../support/fake-upstream.ts';
import {without} from '../../support/sample-leads.ts';
import {runService, startService} from '../../support/service-process.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {wrongIn} from '../../support/wrong-settings.ts';
import {dataKey} from '../../support/test-server.ts';

const folder = temporaryFolder({after});

const caller = {user: 'acme', password: 'secret-of-acme', cids: ['1001', '1002']};
const required = {
  PUBLIC_URL: 'https://leads.example.com',
  CALLERS: JSON.stringify([caller]),
  EMBED_ORIGINS: 'https://www.partner.example',
  TOKEN_KEY: 'k'.repeat(32),
  DATA_KEY: dataKey,
};
const upstream = {
  UPSTREAM_URL: 'https://upstream.example/api',
  UPSTREAM_USER: 'us',
  UPSTREAM_PASSWORD: 'secret-of-upstream',
  UPSTREAM_CID: '77',
};

const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

suite('the required settings', () => {
  test('are enough, and the rest has safe defaults', () => {
    const config = readConfig(required);
    assert.deepEqual(config.callers, [caller]);
    assert.deepEqual(config.partners, [
      {
        key: 'default',
        name: 'default',
        origins: ['https://www.partner.example'],
        leadTypes: ['standard', 'prequalification'],
        cid: '1001',
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
    ]);
    assert.deepEqual(config.retention, {retainDays: undefined, keepConsentYears: 5, graceDays: 30});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.destinations.size, 0);
    assert.deepEqual(config.policy, defaultPolicy);
  });
  test('are all named at once when they are missing', () => {
    assert.deepEqual(
      wrongIn({}).toSorted(),
      Object.keys(required)
        .map((name) => `${name} is missing`)
        .toSorted(),
    );
  });
  for (const name of Object.keys(required)) {
    test(`the required setting ${name} may not be empty or blank`, () => {
      for (const blank of ['', '  ', '\n'])
        assert.deepEqual(wrongIn({...required, [name]: blank}), [`${name} is missing`]);
    });
  }
});

suite('a setting', () => {
  const refused: [environment: Record<string, string>, names: RegExp][] = [
    [{WITHDRAWN_VERSIONS: '1.0.0, v1'}, /^WITHDRAWN_VERSIONS\.1 must be an exact version such as 1\.0\.0/],
    [{PUBLIC_URL: 'leads.example.com'}, /^PUBLIC_URL must be a URL/],
    [{PUBLIC_URL: 'javascript:alert(1)'}, /^PUBLIC_URL must be a URL/],
    [{EMBED_ORIGINS: '*'}, /^EMBED_ORIGINS.*a \* may only be its first label/],
    [{EMBED_ORIGINS: 'https://a;b.example'}, /^EMBED_ORIGINS.*no `;`, `,` or `'`/],
    [{EMBED_ORIGINS: 'https://www.partner.example, *'}, /^EMBED_ORIGINS\.1/],
    [{EMBED_ORIGINS: 'https://*.*.example'}, /^EMBED_ORIGINS/],
    [{EMBED_ORIGINS: 'https://www.*.example'}, /^EMBED_ORIGINS/],
    [{TRUST_PROXY: 'true'}, /^TRUST_PROXY must be a number of proxies/],
    [{TRUST_PROXY: '10.0.0.1, proxy'}, /^TRUST_PROXY must be a number of proxies/],
    [{TRUST_PROXY: '10.0.0.0/33'}, /^TRUST_PROXY must be a number of proxies/],
    [{SIGN_IN_EXEMPT: '10.0.0.0/8, office'}, /^SIGN_IN_EXEMPT is no list of addresses: part 2 is neither/],
    [{EMBED_ORIGINS: 'null'}, /^EMBED_ORIGINS/],
    [{EMBED_ORIGINS: 'https://www.partner.example/'}, /^EMBED_ORIGINS/],
    [{EMBED_ORIGINS: 'https://www.partner.example/page'}, /^EMBED_ORIGINS/],
    [{EMBED_ORIGINS: 'www.partner.example'}, /^EMBED_ORIGINS/],
    [{EMBED_ORIGINS: ' , '}, /^EMBED_ORIGINS/],
    [{TOKEN_KEY: 'short'}, /^TOKEN_KEY.*at least 32/],
    [{TOKEN_KEY: `${'k'.repeat(32)},short`}, /^TOKEN_KEY\.1.*at least 32/],
    [{EVIDENCE_KEY: 'short'}, /^EVIDENCE_KEY.*at least 32/],
    [{EVIDENCE_KEY: ' , '}, /^EVIDENCE_KEY must not be empty/],
    [{CALLERS: 'acme:secret'}, /^CALLERS must be JSON/],
    [{CALLERS: '[]'}, /^CALLERS must hold at least one caller/],
    [{CALLERS: JSON.stringify(caller)}, /^CALLERS /],
    [
      {CALLERS: JSON.stringify([{...caller, password: 'short'}])},
      /^CALLERS\.0\.password must have at least 12/,
    ],
    [{CALLERS: JSON.stringify([{...caller, cids: []}])}, /^CALLERS\.0\.cids must hold at least one cid/],
    [{CALLERS: JSON.stringify([{...caller, user: 'a:b'}])}, /^CALLERS\.0\.user .*colon/],
    [{CALLERS: JSON.stringify([{...caller, passwort: 'x'}])}, /^CALLERS\.0 .*passwort/],
    [{CALLERS: JSON.stringify([caller, caller])}, /^CALLERS must not hold a user twice/],
    [{EMBED_CONTACT_PHONE: '911'}, /^EMBED_CONTACT_PHONE must be a telephone number such as/],
    [{EMBED_CONTACT_EMAIL: 'hello'}, /^EMBED_CONTACT_EMAIL must be an e-mail address such as/],
    [{EMBED_LEAD_TYPES: 'standard,other'}, /^EMBED_LEAD_TYPES\.1/],
    [{PORT: 'eighty'}, /^PORT/],
    [{PORT: '70000'}, /^PORT/],
    [{LOG_LEVEL: 'loud'}, /^LOG_LEVEL/],
    [{POLICY_FILE: '/nowhere/policy.json'}, /^POLICY_FILE .*ENOENT/],
    [{TOKEN_KEY: '', TOKEN_KEY_FILE: '/nowhere/key'}, /^TOKEN_KEY_FILE .*ENOENT/],
    [{...upstream, UPSTREAM_URL: 'upstream'}, /^UPSTREAM_URL must be a URL/],
    [{...upstream, UPSTREAM_URL: 'https://up.example/?key=1'}, /^UPSTREAM_URL must have no user name/],
    [{PUBLIC_URL: 'https://leads.example.com/#top'}, /^PUBLIC_URL must have no user name/],
    [{PUBLIC_URL: 'https://me:secret@leads.example.com'}, /^PUBLIC_URL must have no user name/],
    [{REDIS_URL: 'localhost:6379'}, /^REDIS_URL must be an address such as redis:/],
    [{REDIS_URL: 'http://localhost:6379'}, /^REDIS_URL must be an address/],
    [{REDIS_URL: 'redis://:pass/word@localhost:6379'}, /^REDIS_URL must be an address/],
    [{REDIS_URL: 'redis://:100%@localhost:6379'}, /^REDIS_URL must be an address/],
    [{REDIS_URL: 'redis://localhost:99999'}, /^REDIS_URL must be an address/],
    [{REDIS_URL: 'redis://localhost/leads'}, /^REDIS_URL must be an address/],
    [{RETAIN_DAYS: '0'}, /^RETAIN_DAYS must be a number from 1 to 36500$/],
    [{RETAIN_DAYS: '36501'}, /^RETAIN_DAYS must be a number from 1 to 36500$/],
    [{RETAIN_DAYS: '1.5'}, /^RETAIN_DAYS must be a whole number$/],
    [{RETAIN_GRACE_DAYS: '-1'}, /^RETAIN_GRACE_DAYS must be a number from 0 to 36500$/],
    [{RETAIN_DAYS: 'forever'}, /^RETAIN_DAYS must be a number from 1 to 36500$/],
    [{KEEP_CONSENT_YEARS: '-1'}, /^KEEP_CONSENT_YEARS must be a number from 0 to 100$/],
    [{KEEP_CONSENT_YEARS: '101'}, /^KEEP_CONSENT_YEARS must be a number from 0 to 100$/],
    [{ADMIN_URL: 'admin.example.com'}, /^ADMIN_URL must be https:/],
    [{ADMIN_URL: 'http://admin.example.com'}, /^ADMIN_URL must be https:/],
    [{ADMIN_URL: 'https://192.0.2.7'}, /^ADMIN_URL .* never an IP address/],
    [{ADMIN_URL: 'https://0x7f.1'}, /^ADMIN_URL .* never an IP address/],
    [{ADMIN_URL: 'https://[::1]:8081'}, /^ADMIN_URL .* never an IP address/],
    [{ADMIN_URL: 'https://admin.example.com/leads'}, /^ADMIN_URL .* without a path/],
    [{ADMIN_URL: 'https://me@admin.example.com'}, /^ADMIN_URL must be https:/],
    [{ADMIN_URL: 'https://admin.example.com.'}, /^ADMIN_URL must be https:/],
    [{ADMIN_URL: 'https://leads.example.com:8443'}, /^ADMIN_URL must have another host than PUBLIC_URL/],
    [
      {ADMIN_URL: 'https://admin.example.com', ADMIN_PORT: '8080'},
      /^ADMIN_PORT must be another port than PORT/,
    ],
    [{ADMIN_PORT: '80800'}, /^ADMIN_PORT must be a number/],
    [{DATABASE_URL: 'mysql://localhost/leads'}, /^DATABASE_URL must be an address such as postgres:/],
    [{DATABASE_URL: 'postgres://me@one.example,two.example:5432/leads'}, /^DATABASE_URL .* with one host/],
    [{DATABASE_URL: 'postgres://me:secret@localhost:99999/leads'}, /^DATABASE_URL must be an address/],
  ];
  for (const [environment, names] of refused) {
    test(`is refused by its name: ${JSON.stringify(environment).slice(0, 70)}`, () => {
      assert.match(wrongIn({...required, ...environment})[0] ?? 'accepted', names);
    });
  }
  const taken: Record<string, string>[] = [
    {REDIS_URL: 'redis://localhost'},
    {REDIS_URL: 'rediss://me:100%25@redis.example:6380/2'},
    {DATABASE_URL: 'postgresql://me@/leads?host=/run/postgresql'},
    {DATABASE_URL: 'postgres:///leads'},
    {DATABASE_URL: 'postgres://me:100%25@db.example:5432/leads?sslmode=require'},
    {PUBLIC_URL: 'https://example.com/leads/'},
    {RETAIN_DAYS: '730', KEEP_CONSENT_YEARS: '0'},
    {ADMIN_URL: 'http://localhost:8081', PUBLIC_URL: 'http://localhost:8080'},
  ];
  for (const environment of taken) {
    test(`is accepted: ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(wrongIn({...required, ...environment}), []);
    });
  }
  test('is refused together with all others that are wrong', () => {
    const wrong = wrongIn({
      ...required,
      TOKEN_KEY: 'short',
      PORT: 'x',
      POLICY_FILE: '/nowhere',
      UPSTREAM_CID: '7',
    });
    for (const name of ['TOKEN_KEY', 'PORT', 'POLICY_FILE', 'UPSTREAM_URL', 'UPSTREAM_PASSWORD']) {
      assert.ok(
        wrong.some((line) => line.startsWith(name)),
        name,
      );
    }
  });
  test('that is wrong is never printed', () => {
    const secret = 'canary-of-settings';
    const all = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, secret]));
    const inCallers = JSON.stringify([{user: `${secret}:`, password: secret, cids: secret}]);
    for (const environment of [all, {...all, CALLERS: inCallers}]) {
      const lines = wrongIn(environment);
      assert.ok(lines.length > 5);
      assert.ok(
        lines.every((line) => !line.includes(secret)),
        lines.join('\n'),
      );
    }
  });
  test("the operators' pages have an origin and a port, or there are none", () => {
    const adminOf = (environment: Record<string, string>) => readConfig({...required, ...environment}).admin;
    assert.deepEqual(adminOf({ADMIN_URL: 'HTTPS://Admin.Leads.example:443/'}), {
      url: 'https://admin.leads.example',
      port: 8081,
    });
    assert.equal(adminOf({}), undefined);
    const {warnings} = readConfig({...required, ADMIN_PORT: '8082'});
    assert.deepEqual(warnings, [
      "ADMIN_PORT is not used, because there are no operators' pages without ADMIN_URL",
    ]);
  });
  test('the only partner may have a telephone number, an e-mail address, both, or none', () => {
    const contactOf = (environment: Record<string, string>) =>
      readConfig({...required, ...environment}).partners[0].contact;
    const [phone, email] = ['+44 20 7946 0958', 'hello@acme.example'];
    assert.deepEqual(contactOf({EMBED_CONTACT_PHONE: phone, EMBED_CONTACT_EMAIL: email}), {phone, email});
    assert.equal(contactOf({EMBED_CONTACT_PHONE: phone})?.phone, phone);
    assert.equal(contactOf({EMBED_CONTACT_EMAIL: email})?.email, email);
    assert.equal(contactOf({EMBED_CONTACT_PHONE: ''}), undefined);
  });
  test('settings that are lists take any separators', () => {
    const config = readConfig({
      ...required,
      EMBED_ORIGINS: 'https://a.example, http://localhost:8081\nhttps://b.example',
      TOKEN_KEY: `${'n'.repeat(32)} ${'o'.repeat(32)}`,
      EVIDENCE_KEY: `${'e'.repeat(32)}\n${'v'.repeat(32)}`,
      EMBED_LEAD_TYPES: 'standard',
      EMBED_CID: '5',
      EMBED_PARTNER: 'site',
      EMBED_NAME: 'Our site',
      PUBLIC_URL: 'https://leads.example.com//',
    });
    assert.partialDeepStrictEqual(config.partners, [
      {
        key: 'site',
        name: 'Our site',
        origins: ['https://a.example', 'http://localhost:8081', 'https://b.example'],
        leadTypes: ['standard'],
        cid: '5',
      },
    ]);
    assert.deepEqual(config.tokenKeys, ['n'.repeat(32), 'o'.repeat(32)]);
    assert.deepEqual(config.evidenceKeys, ['e'.repeat(32), 'v'.repeat(32)]);
    assert.equal(config.publicUrl, 'https://leads.example.com');
  });
});

suite('a setting in a file', () => {
  for (const [name, value] of Object.entries(required)) {
    test(`stands for ${name}`, () => {
      const config = readConfig({...required, [name]: '', [`${name}_FILE`]: file(name, `${value}\n`)});
      const {environment, ...expected} = readConfig(required);
      assert.deepEqual({...config, environment: undefined}, {...expected, environment: undefined});
      // It has the digest of what a reload cannot read again.
      assert.ok(name in environment && !(name in config.environment));
    });
  }
  test('gives way to the setting itself', () => {
    const config = readConfig({...required, TOKEN_KEY_FILE: file('other-key', 'o'.repeat(32))});
    assert.deepEqual(config.tokenKeys, [required.TOKEN_KEY]);
  });
  const holdsNothing = 'holds nothing: fill it, or leave the setting out';
  const blanks = {nothing: '', 'a line break': '\r\n', 'a byte order mark': '\uFEFF', zeros: '\0'.repeat(64)};
  for (const [what, blank] of Object.entries(blanks)) {
    test(`a file that holds only ${what} is a fault of every setting, also of those with a default`, () => {
      const path = file('blank', blank);
      for (const name of Object.keys(settings.shape))
        assert.deepEqual(
          wrongIn({...required, [name]: '', [`${name}_FILE`]: path})[0],
          `${name}_FILE ${path}: ${holdsNothing}`,
        );
      for (const name of ['PARTNERS_FILE', 'POLICY_FILE'])
        assert.deepEqual(wrongIn({...required, [name]: path}), [`${name} ${path}: ${holdsNothing}`]);
    });
  }
  test('an empty secret of a destination is a fault', () => {
    const path = file('blank', '\n');
    const partner = {key: 'acme', origins: ['https://a.example'], cid: '1', send_to: ['crm']};
    const crm = {type: 'webhook', url: 'https://crm.example', credentials: 'CRM'};
    const partners = file('with-crm.json', JSON.stringify({partners: [partner], destinations: {crm}}));
    const wrong = wrongIn({...required, PARTNERS_FILE: partners, CREDENTIALS_CRM_SECRET_FILE: path});
    assert.equal(wrong[0], `CREDENTIALS_CRM_SECRET_FILE ${path}: ${holdsNothing}`);
  });
});

suite('a setting that has no effect', () => {
  const warningsOf = (environment: Record<string, string>) =>
    readConfig({...required, ...environment}).warnings;

  for (const zone of ['Europe/Berln', 'europe/berlin', 'Nowhere', '/etc/localtime', 'CET-1CEST']) {
    test(`a time zone that does not exist is warned of: ${zone}`, () => {
      assert.deepEqual(warningsOf({TZ: zone}), [
        'TZ names no time zone, so times are shown in UTC: set one such as America/New_York',
      ]);
    });
  }
  for (const zone of ['America/New_York', 'UTC', 'UTC0', 'CET-1', ':Europe/Berlin', 'EST5EDT', '']) {
    test(`a time zone that exists is taken: ${JSON.stringify(zone)}`, () => {
      assert.deepEqual(warningsOf({TZ: zone}), []);
    });
  }
  test('a DATABASE_PATH beside a DATABASE_URL is warned of', () => {
    const url = {DATABASE_URL: 'postgres://localhost/leads'};
    assert.deepEqual(warningsOf({...url, DATABASE_PATH: 'leads.sqlite'}), [
      'DATABASE_PATH is not used, because DATABASE_URL is set: remove one of them',
    ]);
    assert.deepEqual(
      warningsOf({...url, DATABASE_PATH: '', DATABASE_PATH_FILE: file('path', 'leads.sqlite')}),
      ['DATABASE_PATH is not used, because DATABASE_URL is set: remove one of them'],
    );
    assert.deepEqual(warningsOf(url), []);
  });
  const partners = [{key: 'acme', cid: '1001', origins: ['https://www.acme.example']}];
  const partnersFile = file('partners.json', JSON.stringify({partners}));
  const why = 'because PARTNERS_FILE lists the partners: remove PARTNERS_FILE, or what it replaces';
  test('several settings beside a PARTNERS_FILE are warned of', () =>
    assert.deepEqual(warningsOf({PARTNERS_FILE: partnersFile, EMBED_CID: 'x'}), [
      `EMBED_ORIGINS, EMBED_CID are not used, ${why}`,
    ]));
  for (const name of partnerSettings)
    test(`${name} beside a PARTNERS_FILE is warned of`, () => {
      const warning = `${name} is not used, ${why}`;
      for (const given of [{[name]: 'x'}, {[`${name}_FILE`]: file('setting', 'x')}])
        assert.deepEqual(
          readConfig({...without(required, 'EMBED_ORIGINS'), PARTNERS_FILE: partnersFile, ...given}).warnings,
          [warning],
        );
    });
  test('METRICS_HOST without METRICS_PORT is warned of', () => {
    assert.match(warningsOf({METRICS_HOST: '::'}).join(), /^METRICS_HOST is not used, .* METRICS_PORT$/);
  });
});

suite('a setting that is there and empty', () => {
  const warningsOf = (environment: Record<string, string>) =>
    readConfig({...required, ...environment}).warnings;
  const inFile = ' is empty, which counts as not set: leads are stored in the SQLite file of DATABASE_PATH';

  test('is warned of where leads would be stored in another place than was meant', () => {
    assert.deepEqual(warningsOf({DATABASE_URL: ' '}), [`DATABASE_URL${inFile}`]);
    assert.deepEqual(warningsOf({DATABASE_URL_FILE: ''}), [`DATABASE_URL_FILE${inFile}`]);
  });
  test('is missing where a data key should be, and the word clear is none', () => {
    assert.throws(() => readConfig({...required, DATA_KEY: ''}), /DATA_KEY is missing/);
    assert.throws(
      () => readConfig({...required, DATA_KEY: 'clear'}),
      /DATA_KEY is missing: personal data is/,
    );
    const {dataKeys, notes} = readConfig({...required, DATA_KEY: `clear ${dataKey}`});
    assert.deepEqual(dataKeys, [dataKey]);
    assert.match(notes.join(), /The word "clear" of DATA_KEY has no effect any more/);
  });
  test('is not warned of beside one that has a value, nor where its default is as good as any', () => {
    const key = file('data-key', 'd'.repeat(32));
    assert.deepEqual(warningsOf({DATA_KEY: '', DATA_KEY_FILE: key}), []);
    assert.deepEqual(warningsOf({DATABASE_URL: 'postgres://localhost/leads', DATABASE_URL_FILE: ''}), []);
    assert.deepEqual(warningsOf({REDIS_URL: '', RETAIN_DAYS: '', LOG_LEVEL: ''}), []);
  });
});

suite('the upstream', () => {
  test('an upstream is configured by all its settings', () => {
    const {UPSTREAM_PASSWORD, ...others} = upstream;
    const passwordFile = {UPSTREAM_PASSWORD_FILE: file('password', UPSTREAM_PASSWORD)};
    for (const environment of [upstream, {...others, ...passwordFile}]) {
      assert.deepEqual(readConfig({...required, ...environment}).destinations.get('default'), {
        ...leadApi,
        url: 'https://upstream.example/api',
        user: 'us',
        password: 'secret-of-upstream',
        cid: '77',
      });
    }
  });
  for (const given of Object.keys(upstream) as (keyof typeof upstream)[]) {
    test(`an upstream is not configured by ${given} alone`, () => {
      const missing = Object.keys(upstream).filter((name) => name !== given);
      assert.deepEqual(
        wrongIn({...required, [given]: upstream[given]}),
        missing.map((name) => `${name} is missing`),
      );
    });
  }
});

suite('the policy', () => {
  test('may stand in a file', () => {
    const policy = {...defaultPolicy, version: 'ours'};
    assert.deepEqual(
      readConfig({...required, POLICY_FILE: file('policy.json', JSON.stringify(policy))}).policy,
      policy,
    );
  });
  test('a policy file that is wrong is refused, and the error names the field', () => {
    const policy = {...defaultPolicy, rollover: {minimum: -5}};
    const wrong = wrongIn({...required, POLICY_FILE: file('bad.json', JSON.stringify(policy))});
    assert.equal(wrong.length, 1);
    assert.match(wrong[0] ?? '', /^POLICY_FILE .*bad\.json:1:\d+: rollover\.minimum/);
  });
});

suite('the service', () => {
  test('does not start without its settings, and names each of them', async () => {
    const {code, output, errors} = await runService({}, folder);
    assert.equal(code, 1);
    assert.equal(output, '');
    for (const name of Object.keys(required)) assert.match(errors, new RegExp(`^ +${name} is missing$`, 'm'));
    assert.doesNotMatch(errors, /^ +at /m);
  });
  test('starts without a build of the form, says where, and ends in order', async (t) => {
    const service = await startService(required, folder);
    t.after(() => service.end('SIGKILL'));
    for (const path of ['/embed/1.0.0/lead-prequal-form.js', '/embed/v1/config']) {
      const response = await fetch(service.url + path, {headers: {origin: 'https://www.partner.example'}});
      assert.equal(response.status, 200, path);
      await response.text();
    }
    assert.deepEqual(await service.end('SIGTERM'), {code: 0, signal: null});
    const printed = service.lines.join('\n');
    assert.match(printed, /\/embed\/\d+\.\d+\.\d+\/lead-prequal-form\.js.*"release":true/);
    assert.match(printed, /https:\/\/leads\.example\.com\/embed\/[\d.]+\/lead-prequal-form\.js/);
    for (const secret of [caller.password, required.TOKEN_KEY]) assert.ok(!printed.includes(secret));
  });
});
