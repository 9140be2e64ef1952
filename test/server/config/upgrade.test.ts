/** The settings of 1.8 become a file of 2.0 that says the same. It goes with `server/config/upgrade.ts`. */
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {after, suite, test} from 'node:test';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {routeOf, sha256} from '../../../server/config/callers.ts';
import {ConfigError, embedFolder, readConfig, type Config} from '../../../server/config/config.ts';
import {formerSettings} from '../../../server/config/former-settings.ts';
import {upgrade, type Upgrade} from '../../../server/config/upgrade.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {newSecret} from '../../support/webhook-receiver.ts';

type Settings = Record<string, string>;

const folder = temporaryFolder({after});
const write = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** Each value that nobody but the server may know begins so. */
const canary = 'canary-of-a-secret';
const hashOf = (password: string) => sha256(password).toString('hex');
const caller = {user: 'acme', password: `${canary}-of-acme`, cids: ['1001', '1002']};
const required: Settings = {
  PUBLIC_URL: 'https://leads.example.com/',
  CALLERS: JSON.stringify([caller]),
  EMBED_ORIGINS: 'https://www.acme.example, https://*.acme.example',
  TOKEN_KEY: `${canary}-${'t'.repeat(32)}`,
  DATA_KEY: `${canary}-${'d'.repeat(32)}`,
  DATABASE_PATH: join(folder, 'leads.sqlite'),
};
const upstream: Settings = {
  UPSTREAM_URL: 'https://upstream.example/api',
  UPSTREAM_USER: `${canary}-user`,
  UPSTREAM_PASSWORD: `${canary}-of-upstream`,
  UPSTREAM_CID: '77',
};
const mail: Settings = {SMTP_URL: `smtp://u:${canary}@mail.example`, SMTP_FROM: 'Leads <leads@example.com>'};
const hook: Settings = {CREDENTIALS_CRM_SECRET: newSecret()};
const partner = {key: 'acme', origins: ['https://www.acme.example'], cid: '1001'};
const lender = {url: 'https://lender.example', cid: '9', credentials: 'LENDER'};
const ofLender: Settings = {CREDENTIALS_LENDER_USER: canary, CREDENTIALS_LENDER_PASSWORD: canary};

/** The environment after its operator did what the steps say. */
function followed({file, steps}: Upgrade, settings: Settings): Settings {
  const left: Settings = {...settings, CONFIG: JSON.stringify(file)};
  const namesIn = (step: RegExp) => step.exec(steps.join('\n'))?.[1]?.split(', ') ?? [];
  for (const name of namesIn(/^Remove from .*: (.*)$/m)) delete left[name];
  for (const pair of namesIn(/^Rename there: (.*)$/m)) {
    const [from = '', to = ''] = pair.split(' to ');
    left[to] = left[from] ?? assert.fail(from);
    delete left[from];
  }
  return left;
}

/** What of a configuration the file says, with all that is usual. */
const meaning = (config: Config) => ({
  partners: config.partners.map(({key, name, contact, origins, leadTypes, cid, answerFrom, sendTo}) => ({
    key,
    name,
    contact,
    origins,
    leadTypes,
    cid,
    answerFrom,
    sendTo,
  })),
  callers: config.callers.map((each) => ({
    ...{user: each.user, cids: each.cids, passwords: each.password_sha256, ...routeOf(each)},
  })),
  destinations: Object.fromEntries(
    [...config.destinations].map(([name, {type, ...fields}]) => {
      const {url, to, cid, user, password, isInternal} = fields as Record<string, unknown>;
      const common = {type, url, to, cid, user, password, isInternal};
      const {perSecond = 20, onLostReply} = fields as {perSecond?: number; onLostReply?: string};
      return [name, type === 'lead-api' ? {...common, perSecond, onLostReply} : common];
    }),
  ),
  alerts: config.alerts,
  retention: config.retention,
  erasuresFile: config.erasuresFile && resolve(config.erasuresFile),
  policy: config.policy.version,
  confirmations: config.confirmations,
  proofOfWork: config.proofOfWork,
  rateLimit: config.rateLimit,
  signInExempt: config.signInExempt.map(([base, bits]) => `${base.toString()}/${bits}`),
  snippetsPage: config.snippetsPage,
  withdrawnVersions: config.withdrawnVersions,
});

/** What the settings mean after the upgrade. No line of the environment is left over, and no secret is in what is shown. */
function upgraded(settings: Settings) {
  const made = upgrade(settings);
  assert.doesNotMatch(JSON.stringify(made), new RegExp(canary));
  const config = readConfig(followed(made, settings));
  assert.deepEqual(
    config.warnings.filter((warning) => /since 2\.0|not used by any/.test(warning)),
    [],
  );
  return meaning(config);
}

const usual = {answerFrom: undefined, sendTo: []};
/** What the configuration of 1.8 (c427aee7) said of these settings. */
const cases: Record<string, [settings: Settings, said: object]> = {
  'the least that 1.8 needed': [
    required,
    {
      partners: [
        {
          ...{key: 'default', name: 'default', cid: '1001', leadTypes: ['standard', 'prequalification']},
          ...{origins: ['https://www.acme.example', 'https://*.acme.example'], ...usual},
        },
      ],
      callers: [{user: 'acme', cids: ['1001', '1002'], passwords: [hashOf(caller.password)], ...usual}],
      destinations: {},
      alerts: undefined,
      retention: {retainDays: undefined, keepConsentYears: 5, graceDays: 30},
      erasuresFile: join(folder, 'leads.sqlite.erasures'),
      ...{policy: defaultPolicy.version, confirmations: true, proofOfWork: 200, rateLimit: 60},
      ...{signInExempt: [], snippetsPage: true, withdrawnVersions: []},
    },
  ],
  'the only partner': [
    {
      ...{...required, EMBED_PARTNER: 'acme', EMBED_NAME: 'Acme Funding', EMBED_CID: '1002'},
      ...{EMBED_CONTACT_PHONE: '(415) 555-0132', EMBED_LEAD_TYPES: 'standard'},
    },
    {
      partners: [
        {
          ...{key: 'acme', name: 'Acme Funding', cid: '1002', leadTypes: ['standard'], ...usual},
          contact: {phone: '(415) 555-0132'},
        },
      ],
    },
  ],
  'a single upstream answers the only partner and callers': [
    {...required, ...upstream},
    {
      partners: [{answerFrom: 'default', sendTo: []}],
      callers: [{answerFrom: 'default', sendTo: []}],
      destinations: {
        default: {
          ...{type: 'lead-api', url: 'https://upstream.example/api', cid: '77', perSecond: 20},
          ...{user: upstream['UPSTREAM_USER'], password: upstream['UPSTREAM_PASSWORD'], onLostReply: 'send'},
        },
      },
    },
  ],
  'a single upstream beside a partners file answers callers alone, unless they say otherwise': [
    {
      ...{...required, ...upstream, ...ofLender, ON_AMBIGUOUS: 'hold', OUTBOX_PER_SECOND: '2.5'},
      EMBED_ORIGINS: '',
      CALLERS: JSON.stringify([caller, {...caller, user: 'own', answer_from: 'calculator'}]),
      PARTNERS_FILE: write('of-1.0.json', {
        upstreams: {lender},
        destinations: {bank: {type: 'lead-api', ...lender, per_second: 3}},
        partners: [partner, {...partner, key: 'old', upstream: 'lender'}],
      }),
    },
    {
      partners: [usual, {...usual, answerFrom: 'lender'}],
      callers: [{...usual, answerFrom: 'default'}, usual],
      destinations: {
        bank: {perSecond: 3, onLostReply: 'hold', user: canary, url: lender.url},
        lender: {perSecond: 2.5, onLostReply: 'hold', user: canary, url: lender.url},
        default: {perSecond: 2.5, onLostReply: 'hold', cid: '77'},
      },
    },
  ],
  'a single upstream whose usual credentials a destination has already': [
    {
      ...{...required, ...upstream, CREDENTIALS_UPSTREAM_USER: canary, CREDENTIALS_UPSTREAM_PASSWORD: canary},
      PARTNERS_FILE: write('upstream.json', {
        upstreams: {lender: {...lender, credentials: 'UPSTREAM'}},
        partners: [partner],
      }),
    },
    {destinations: {lender: {user: canary}, default: {user: upstream['UPSTREAM_USER']}}},
  ],
  'hosts in the own network, of an address that is a secret, too': [
    {
      ...{...required, ...hook, WEBHOOK_INTERNAL_HOSTS: 'CRM.internal, ::1 10.0.0.7'},
      CREDENTIALS_ROOM_URL: `http://[::1]:9000/${canary}`,
      PARTNERS_FILE: write('internal.json', {
        destinations: {
          crm: {type: 'webhook', url: 'http://crm.internal/leads', credentials: 'CRM'},
          other: {type: 'webhook', url: 'https://crm.example/leads', credentials: 'CRM'},
          room: {type: 'chat', format: 'slack', credentials: 'ROOM'},
        },
        partners: [{...partner, send_to: ['crm', 'other', 'room']}],
      }),
    },
    {
      partners: [{sendTo: ['crm', 'other', 'room']}],
      destinations: {crm: {isInternal: true}, other: {isInternal: false}, room: {isInternal: true}},
    },
  ],
  'e-mails': [
    {
      ...{...required, ...mail, ALERTS_TO: 'ops@example.com cto@example.com', CONFIRMATIONS: 'off'},
      PARTNERS_FILE: write('mail.json', {
        destinations: {sales: {type: 'email', to: ['sales@example.com'], every_minutes: 15}},
        partners: [{...partner, send_to: ['sales']}],
      }),
    },
    {
      destinations: {sales: {type: 'email', to: ['sales@example.com']}},
      alerts: {
        ...{to: ['ops@example.com', 'cto@example.com'], smtpUrl: mail['SMTP_URL'], from: mail['SMTP_FROM']},
      },
      confirmations: false,
    },
  ],
  'numbers and lists': [
    {
      ...{...required, RETAIN_DAYS: '365', RETAIN_GRACE_DAYS: '0', KEEP_CONSENT_YEARS: '7'},
      PROOF_OF_WORK: '0',
      RATE_LIMIT: '1000',
      SNIPPETS_PAGE: 'off',
      WITHDRAWN_VERSIONS: '1.0.0 1.1.0-beta.1',
      SIGN_IN_EXEMPT: '10.0.0.0/8, 2001:db8::1',
      POLICY_FILE: write(
        'policy.json',
        `{"version": "ours", ${JSON.stringify(defaultPolicy)
          .replace(/"version":"[^"]*",/, '')
          .slice(1)}`,
      ),
    },
    {
      retention: {retainDays: 365, keepConsentYears: 7, graceDays: 0},
      ...{proofOfWork: 0, rateLimit: 1_000, snippetsPage: false, policy: 'ours'},
      withdrawnVersions: ['1.0.0', '1.1.0-beta.1'],
      signInExempt: ['10.0.0.0/8', '2001:db8::1/128'],
    },
  ],
  'settings in files, and a file with comments': [
    {
      ...{...required, CALLERS: '', EMBED_ORIGINS: '', DATA_KEY: ''},
      CALLERS_FILE: write(
        'callers',
        `// Ours\n${JSON.stringify([{...caller, password_sha256: hashOf('new')}])}`,
      ),
      ...{...upstream, UPSTREAM_PASSWORD: '', UPSTREAM_PASSWORD_FILE: write('password', `${canary}\n`)},
      RETAIN_DAYS_FILE: write('days', '90\n'),
      DATA_KEY_FILE: write('key', canary.repeat(2)),
      PARTNERS_FILE_FILE: write(
        'path',
        write('comments.json', `{"partners": [${JSON.stringify(partner)},],} // Ours`),
      ),
    },
    {
      callers: [{passwords: [hashOf(caller.password), hashOf('new')], answerFrom: 'default'}],
      destinations: {default: {password: canary}},
      retention: {retainDays: 90},
      partners: [{key: 'acme', ...usual}],
    },
  ],
  'erasures elsewhere': [
    {...required, ERASURES_FILE: join(folder, 'erased')},
    {erasuresFile: join(folder, 'erased')},
  ],
  'PostgreSQL with a file of erasures': [
    {...required, DATABASE_URL: `postgres://u:${canary}@host/leads`, ERASURES_FILE: join(folder, 'erased')},
    {erasuresFile: join(folder, 'erased')},
  ],
  'PostgreSQL without a file of erasures': [
    {...required, DATABASE_URL: `postgres://u:${canary}@host/leads`},
    {erasuresFile: undefined},
  ],
};

suite('the file of 2.0 means what the settings of 1.8 meant', () => {
  for (const [title, [settings, said]] of Object.entries(cases))
    test(title, () => assert.partialDeepStrictEqual(upgraded(settings), said));
});

suite('the steps of an upgrade', () => {
  test('each setting that 2.0 has no more is named, with its file, and no other one is', () => {
    const all: Settings = {
      ...required,
      ...upstream,
      ...mail,
      ADMIN_URL: 'https://admin.example.com',
      DATABASE_STATEMENTS: 'named',
      ...{EMBED_PARTNER: 'acme', EMBED_NAME: 'Acme', EMBED_CID: '1', EMBED_LEAD_TYPES: 'standard'},
      EMBED_CONTACT_PHONE: '(415) 555-0132',
      EMBED_CONTACT_EMAIL: 'a@b.example',
      EMBED_FOLDER: embedFolder,
      ...{SIGN_IN_EXEMPT: 'loopback', SNIPPETS_PAGE: 'on', PROOF_OF_WORK: '1', RATE_LIMIT: '1'},
      ...{RETAIN_DAYS: '1', RETAIN_GRACE_DAYS: '1', KEEP_CONSENT_YEARS: '1', CONFIRMATIONS: 'on'},
      ...{ERASURES_FILE: `${required['DATABASE_PATH']}.erasures`, WITHDRAWN_VERSIONS: '1.0.0'},
      ON_AMBIGUOUS: 'send',
      OUTBOX_PER_SECOND: '1',
      WEBHOOK_INTERNAL_HOSTS: 'a',
      ALERTS_TO: 'a@b.example',
      POLICY_FILE: write('usual-policy.json', defaultPolicy),
      PARTNERS_FILE: write('partners.json', {partners: [partner]}),
    };
    for (const suffix of ['', '_FILE']) {
      const given = Object.entries(all).map(([name, value]) =>
        Object.hasOwn(formerSettings, name) && suffix
          ? [`${name}${suffix}`, write(name, value)]
          : [name, value],
      );
      const settings = Object.fromEntries(given) as Settings;
      const changed = followed(upgrade(settings), settings);
      const kept = Object.keys(changed).filter((name) => !Object.hasOwn(settings, name));
      assert.deepEqual(kept, [
        'CONFIG',
        `CREDENTIALS_UPSTREAM_USER${suffix}`,
        `CREDENTIALS_UPSTREAM_PASSWORD${suffix}`,
      ]);
      const gone = Object.keys(settings).filter((name) => !Object.hasOwn(changed, name));
      assert.deepEqual(
        gone.toSorted(),
        Object.keys(formerSettings)
          .map((name) => name + suffix)
          .toSorted(),
      );
    }
  });

  const builds = join(folder, 'builds');
  mkdirSync(builds);
  const postgres = {DATABASE_URL: `postgres://u:${canary}@host/leads`, DATABASE_PATH: ''};
  const left: Record<string, [settings: Settings, step: RegExp]> = {
    'no data key': [
      {DATA_KEY: ''},
      /^The first start encrypts .* and makes the key .*lead-prequal\.key: keep a copy/m,
    ],
    'data in clear': [{DATA_KEY: 'clear'}, /^Remove DATA_KEY\. The first start encrypts/m],
    'data in clear, as a file says': [
      {DATA_KEY: '', DATA_KEY_FILE: write('clear', 'clear')},
      new RegExp(`^Remove DATA_KEY_FILE\\. .*${resolve('lead-prequal.key')}`, 'm'),
    ],
    'old data in clear': [
      {DATA_KEY: `${required['DATA_KEY']},clear`},
      /^Take the word clear out of DATA_KEY\./m,
    ],
    'a data key that the start is to make elsewhere': [
      {DATA_KEY: '', DATA_KEY_FILE: join(folder, 'not-yet')},
      new RegExp(`makes the key ${join(folder, 'not-yet')}`),
    ],
    'no data key beside PostgreSQL': [
      {...postgres, DATA_KEY: 'clear'},
      /^Set DATA_KEY to what .* all servers\./m,
    ],
    'several servers': [postgres, /^Put the same file beside each server/m],
    'a token key': [{}, /^Leave TOKEN_KEY for seven days/m],
    'an evidence key': [{EVIDENCE_KEY: canary.repeat(2)}, /^Leave EVIDENCE_KEY for one start/m],
    'own builds': [
      {EMBED_FOLDER: builds},
      new RegExp(`^Move your builds of the form from ${builds} to`, 'm'),
    ],
    'an old PgBouncer': [{DATABASE_STATEMENTS: 'unnamed'}, /^Take PgBouncer from 1\.21 on/m],
    "the operators' pages": [
      {ADMIN_URL: 'https://admin.example.com'},
      /lead-prequal-admin.*--remove-orphans/m,
    ],
    'collected e-mails': [
      {
        ...mail,
        PARTNERS_FILE: write('collected.json', {
          destinations: {sales: {type: 'email', to: ['sales@example.com'], every_minutes: 5}},
          partners: [partner],
        }),
      },
      /^Expect an e-mail for each lead from sales:/m,
    ],
  };
  for (const [title, [settings, step]] of Object.entries(left))
    test(`${title}: a step says what to do`, () => {
      const {steps} = upgrade({...required, ...settings});
      assert.match(steps.join('\n'), step);
      assert.doesNotMatch(steps.join('\n'), new RegExp(canary));
    });

  test('without any of that, there is nothing to do but to change the environment', () => {
    const {steps} = upgrade({...required, TOKEN_KEY: ''});
    assert.equal(steps.length, 2);
  });
});

suite('an upgrade is refused', () => {
  const refused: Record<string, [settings: Settings, faults: RegExp[]]> = {
    'without the settings of 1.8': [
      {PUBLIC_URL: '', CALLERS: '', EMBED_ORIGINS: ''},
      [
        /^PUBLIC_URL is missing, which 1\.8 needed: run this with its settings/,
        /^CALLERS is/,
        /^EMBED_ORIGINS is/,
      ],
    ],
    'with a partners file that is not there': [
      {PARTNERS_FILE: '/nowhere/partners.json'},
      [/^PARTNERS_FILE names a file that cannot be read \(ENOENT\)$/],
    ],
    'with files that are no JSON, as often as there are': [
      {
        PARTNERS_FILE: write('broken.json', '{"partners": [\n  {"key": "a" "origins": []}]}'),
        ...{POLICY_FILE: write('broken-policy.json', '{'), CALLERS: `[{"password": "${canary}" x}]`},
      },
      [
        /^CALLERS:1:\d+: is not valid JSON/,
        /broken\.json:2:15: is not valid JSON: comma expected$/,
        /broken-policy\.json:1:2: is not valid JSON/,
      ],
    ],
    'with a partners file and callers of another form': [
      {
        PARTNERS_FILE: write('list.json', '[]'),
        CALLERS: `[{"user": "a", "password": {"a": "${canary}"}, "cids": []}]`,
      },
      [
        /^CALLERS:1:\d+: 0\.cids:/,
        /^CALLERS:1:\d+: 0\.password: must be a text, or a list of two/,
        /list\.json:1:1: the file: must be an object/,
      ],
    ],
    'with an empty partners file': [
      {PARTNERS_FILE: write('empty.json', '\0\0')},
      [/empty\.json: holds nothing/],
    ],
    'with a file of a setting that cannot be read': [
      {UPSTREAM_URL_FILE: '/nowhere/url'},
      [/^UPSTREAM_URL_FILE names a file that cannot be read \(ENOENT\)$/],
    ],
    'with what 1.8 refused, too': [
      {RETAIN_DAYS: 'soon', SMTP_FROM: 'nobody'},
      [
        /^the new file:\d+:\d+: mail_from: must be one e-mail address/,
        /^the new file:\d+:\d+: retain_days: must be/,
      ],
    ],
  };
  for (const [title, [settings, faults]] of Object.entries(refused))
    test(title, () => {
      assert.throws(
        () => upgrade({...required, ...settings}),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.faults.length, faults.length, error.message);
          for (const [index, fault] of faults.entries()) assert.match(error.faults[index]!, fault);
          assert.doesNotMatch(error.message, new RegExp(canary));
          return true;
        },
      );
    });
});
