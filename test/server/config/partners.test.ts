/** The partners of the file: what is wrong in them, whom they let in, and where the leads go. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {suite, test} from 'node:test';
import {allowsOrigin, onePartner} from '../../../server/config/partners.ts';
import {leadApi, startFakeUpstream} from '../../support/fake-upstream.ts';
import {basic, readJson, readProblem} from '../../support/http.ts';
import {sendLead, sentLead, somebody} from '../../support/embed-client.ts';
import type {FileFields} from '../../support/config-file.ts';
import {openFor} from '../../support/opened.ts';
import {startTestServer} from '../../support/test-server.ts';
import {newSecret} from '../../support/webhook-receiver.ts';
import {partner as base, readWith, wrongWith} from '../../support/wrong-settings.ts';

const read = (file: FileFields, more: Record<string, string> = {}) =>
  readWith(file, {...credentials, ...more});

const {origins} = base;
const partner = {...base, cid: '1001'};
const upstream = {type: 'lead-api', url: 'https://upstream.example/api/', cid: 'u-1', credentials: 'MAIN'};
const credentials = {CREDENTIALS_MAIN_USER: 'user', CREDENTIALS_MAIN_PASSWORD: 'password'};

suite('the partners of the file', () => {
  test('are warned of questions, and of rules, that ask for what no lender should ask for', () => {
    const named = (name: string, en = 'Which one?', value = 'a') => ({
      ...{name, label: {en, es: '?'}},
      choices: [value, 'none'].map((each) => ({value: each, en: each, es: each})),
    });
    const ask = [
      ...[named('revenue', 'Revenue', 'over-50k'), named('tax_id'), named('q1', 'When were you born?')],
      ...[named('q2', 'Your card?'), named('q3', 'Status', 'married'), named('q4', 'Stage of the business')],
    ];
    const send_to = [
      {to: 'a', when: {answers: {revenue: ['over-50k']}, context: {brand: ['north']}}},
      {to: 'b', when: {answers: {q3: ['none']}}},
      {to: 'c', when: {context: {sex: ['f']}}},
      {to: 'd', when: {context: {segment: ['age-over-62']}}},
    ];
    const hook = {type: 'webhook', url: 'https://crm.example/', credentials: 'HOOK'};
    const {warnings} = read(
      {
        destinations: {a: hook, b: hook, c: hook, d: hook},
        partners: [{...partner, ask, send_to, context_fields: ['brand', 'sex', 'segment']}],
      },
      {CREDENTIALS_HOOK_SECRET: newSecret()},
    );
    assert.deepEqual(
      warnings.flatMap((line) => / (\w+: [^:]*): ask counsel first/.exec(line)?.[1] ?? []),
      [
        'tax_id: asks for a number that thieves look for',
        'q1: asks for the date of birth',
        'q2: asks for what opens an account',
        ...['q3', 'b', 'c', 'd'].map(
          (name) => `${name}: asks for what a lender must not ask for (12 CFR 1002.5)`,
        ),
      ],
    );
  });

  test('lists what the form asks for besides, in any order, and a promise in each language', () => {
    const [first, second] = read({
      partners: [
        {...partner, ask: ['notes', 'call_time'], call_promise: ' We call today. '},
        {...partner, key: 'b', call_promise: {en: 'We call today.', 'es-MX': 'Le llamamos hoy.'}},
      ],
    }).partners;
    assert.deepEqual(first.ask, ['call_time', 'notes']);
    assert.deepEqual(first.callPromise, {und: 'We call today.'});
    assert.deepEqual(second?.ask, []);
    assert.deepEqual(second?.callPromise, {en: 'We call today.', 'es-MX': 'Le llamamos hoy.'});
  });

  test('lists hidden fields by name, or as objects that make them filters', () => {
    const [{contextFields}] = read({
      partners: [{...partner, context_fields: ['store-no', {name: 'brand', filter: true}, {name: 'x_1'}]}],
    }).partners;
    assert.deepEqual(contextFields, [
      {name: 'store-no', filter: false},
      {name: 'brand', filter: true},
      {name: 'x_1', filter: false},
    ]);
    const wrong = (context_fields: unknown) => wrongWith({partners: [{...partner, context_fields}]}).join();
    assert.match(
      wrong(['Brand']),
      /^partners\.0\.context_fields\.0\.name: must be at most 40 lower-case letters/,
    );
    assert.match(wrong(['brand', {name: 'brand'}]), /context_fields\.1.* is there twice/);
    assert.match(wrong([7]), /context_fields\.0.* must be a name/);
    assert.match(wrong([{filter: true}]), /context_fields\.0/);
    assert.match(wrong([{name: 'brand', filtr: true}]), /filtr/);
    assert.match(wrong(Array.from({length: 11}, (_, index) => `f${index}`)), /must hold at most 10 names/);
  });
  test('a confirmation goes by a destination for e-mails, under a name of its own', () => {
    const destinations = {mail: {type: 'email', to: ['sales@partner.example']}};
    const smtp = {SMTP_URL: 'smtp://leads%40partner.example:x@127.0.0.1:25'};
    const confirm = {via: 'mail', from_name: 'Acme Funding'};
    const file = {
      destinations,
      partners: [
        {...partner, confirm},
        {...partner, key: 'globex'},
      ],
    };
    const config = read(file, smtp);
    assert.deepEqual([...config.destinations.keys()], ['mail', 'mail/confirm']);
    const settings = config.destinations.get('mail/confirm');
    assert.ok(settings?.type === 'confirmation');
    assert.equal(settings.isOn, true);
    assert.deepEqual(Object.fromEntries(settings.partners), {
      acme: {
        name: 'Acme Funding',
        contact: {},
        amounts: false,
        perHour: 60,
        nextStep: undefined,
        rounding: 1_000,
      },
    });
    const off = read({...file, confirmations: false}, smtp);
    assert.equal(off.confirmations, false);
    assert.partialDeepStrictEqual(off.destinations.get('mail/confirm'), {isOn: false});
  });

  for (const [via, fault] of [
    ['post', 'post is not among the destinations'],
    ['lender', 'lender is no email, so it cannot write to visitors'],
  ] as const) {
    test(`a confirmation by a destination that cannot send it is refused: ${via}`, () => {
      const destinations = {lender: upstream};
      assert.deepEqual(wrongWith({destinations, partners: [{...partner, confirm: {via}}]}, credentials), [
        `partners.0.confirm.via: ${fault}`,
      ]);
    });
  }

  test('may say everything', () => {
    const whole = {
      ...partner,
      name: ' Acme & Söhne ',
      privacy_href: 'https://www.partner.example/privacy',
      contact: {phone: ' (415) 555-0132 ext. 3', email: 'hello@acme.example'},
      lead_types: ['standard'],
      answer_from: 'main',
      consent: {text: 'You may call me.', version: '1', required: true},
      colors: {accent: '#0b7a5a'},
      next_step: {en: 'Maria calls you at {phone}.', 'es-MX': 'María le llama al {phone}.'},
      cta: {en: {label: 'Book a call', href: 'https://book.example/en'}},
      quota_per_hour: 5,
      suspect: 'hold',
      merge_duplicates: false,
      without_script: 'trust',
      show_estimate: 'after-contact',
      retain_days: 730,
      keep_consent_years: 0,
    };
    const config = read({destinations: {main: upstream}, partners: [whole]});
    assert.deepEqual(config.partners, [
      {
        ...partner,
        name: 'Acme & Söhne',
        privacyHref: whole.privacy_href,
        contact: {phone: '(415) 555-0132 ext. 3', email: 'hello@acme.example'},
        leadTypes: ['standard'],
        answerFrom: 'main',
        sendTo: [],
        consent: {required: true, texts: {und: {text: 'You may call me.', version: '1'}}},
        colors: whole.colors,
        nextStep: whole.next_step,
        cta: whole.cta,
        showsEstimate: false,
        ask: [],
        contextFields: [],
        retainDays: 730,
        keepConsentYears: 0,
        questions: [],
        quotaPerHour: 5,
        suspect: 'hold',
        mergeDuplicates: false,
        withoutScript: 'trust',
      },
    ]);
    assert.deepEqual(Object.fromEntries(config.destinations), {
      main: {...leadApi, url: 'https://upstream.example/api', user: 'user', password: 'password', cid: 'u-1'},
    });
  });

  test('the next step of a partner may be one text, whose language is not known', () => {
    const [first] = read({partners: [{...partner, next_step: ' We call you. '}]}).partners;
    assert.deepEqual(first.nextStep, {und: 'We call you.'});
  });
  test('the link of a partner may be one, whose language is not known', () => {
    const href = 'https://book.example/';
    const [first] = read({partners: [{...partner, cta: {label: ' Book ', href}}]}).partners;
    assert.deepEqual(first.cta, {und: {label: 'Book', href}});
  });

  const link = 'https://book.example';
  const question = {name: 'since', label: {en: 'In business since'}, kind: 'text' as const};
  /** A field of a partner, or a field in it, what the error says of it, and values of the field. */
  const wrongFields: readonly [place: string, says: string, values: readonly unknown[]][] = [
    ['key', '', ['a b']],
    ['name', '', [' ', 'a'.repeat(81), 'Acme\nInc.']],
    [
      'privacy_href',
      'must begin with https://',
      ['http://www.partner.example', '/privacy', 'javascript:alert(1)'],
    ],
    ['contact', 'must have a phone or an email', [{}]],
    ['contact', 'must be an object', ['hello@acme.example']],
    ['contact', 'has an unknown field: fax', [{fax: '1'}]],
    [
      'contact.phone',
      'must be a telephone number such as',
      [{phone: '911'}, {phone: '1-800-FUNDING'}, {phone: '4155550132"><b>'}],
    ],
    ['contact.phone', 'must be a text without control', [{phone: '415\n5550132'}]],
    [
      'contact.email',
      'must be an e-mail address such as',
      ['hello', 'Acme <hello@acme.example>', 'hello@acme.example?subject=a'].map((email) => ({email})),
    ],
    ['origins', '', [[]]],
    ['cid', '', [1001, ' 1', '1'.repeat(65)]],
    ['lead_types.0', '', [['x']]],
    ['colors.accent', '', [{accent: 'red'}]],
    [
      'cta',
      '',
      ['Book a call', {}, {label: 'Book'}, {href: link}, {label: 'Book', href: link, target: '_blank'}],
    ],
    ['cta', '', [{English: {label: 'Book', href: link}}]],
    [
      'cta.en.href',
      'must begin with https://',
      ['/book', 'http://book.example', 'javascript:alert(1)', 'book.example'].map((href) => ({
        en: {label: 'Book', href},
      })),
    ],
    ['cta.en.label', 'must have no { and no }', [{en: {label: 'For {first_name}', href: link}}]],
    ['ask.0', '', [['age']]],
    [
      'ask.0.name',
      'has another meaning',
      ['email', 'website', 'consent', 'step', 'at', 'constructor', 'money', 'reset'].map((name) => [
        {...question, name},
      ]),
    ],
    [
      'ask.0.choices.1.value',
      'must be at most 40 letters, digits, dashes and underscores, and not only digits',
      [[{...question, kind: undefined, choices: ['none', '2019'].map((value) => ({value, en: value}))}]],
    ],
    ['ask.2', 'is there twice', [['state', 'notes', 'state']]],
    ['call_promise', '', ['a'.repeat(121)]],
    ['call_promise.en', 'must have no { and no }', [{en: 'We call {phone}.'}]],
    ['next_step', '', [' ', {}, 'a'.repeat(301)]],
    ['next_step.English', 'has a name that must be a language such as en', [{English: 'a'}]],
    [
      'send_to.0.when.context.Brand',
      'has a name that must be at most 40 lower-case letters',
      [[{to: 'crm', when: {context: {Brand: ['north']}}}]],
    ],
    ['merge_duplicates', 'must be true, false or "prequalification"', ['standard']],
    ['retain_days', 'must be ', [0, 1.5, 36_501, '730', null]],
    ['keep_consent_years', '', [101]],
    ['quota_per_hour', '', [0]],
    ['consent.text', '', [{text: ''}]],
    [
      'consent.version',
      'must be a text without control characters',
      // Databases cannot keep them.
      ['\0', '\n', '\ud800'].map((sign) => ({text: 'a', version: `1${sign}`})),
    ],
    ['consent.version', '', [{text: 'a'}]],
    ['answer_from', 'x is not among', ['x']],
    ['answer_from', 'toString is not among', ['toString']],
    [
      'origins.1',
      '',
      [
        ...['https://www.partner.example/', 'https://www.partner.example/path', 'www.partner.example', '*'],
        ...['https://*', 'https://*.*.example', 'https://www.*.example', 'https://a*.example.com'],
        ...['HTTPS://Partner.example', 'https://*.partner.example/path', 'https://partner.example,x'],
        "https://partner.example;script-src'",
      ].map((origin) => [...origins, origin]),
    ],
  ];
  const others: readonly [what: string, file: string | FileFields, path: string][] = [
    ['no JSON', '{', 'is not valid JSON'],
    ['a list', '[]', 'the file: must be an object'],
    ['no partners', '{}', 'partners: is missing'],
    ['an empty list', {partners: []}, 'partners: must hold at least one partner'],
    [
      'a misspelt field',
      {partners: [{...partner, color: 'red'}]},
      'partners.0: has an unknown field: color: did you mean colors?',
    ],
    [
      'a field of 1.0',
      {partners: [{...partner, upstream: 'x'}]},
      'partners.0: has an unknown field: upstream',
    ],
    [
      'a hidden field with the name of a question',
      {partners: [{...partner, ask: [question], context_fields: ['since']}]},
      'partners.0.ask: since is the name of a hidden field, too',
    ],
    ['a key twice', {partners: [partner, partner]}, 'partners.1.key: is there twice'],
    [
      'a total before the contact data that an upstream answers',
      {
        destinations: {main: upstream},
        partners: [{...partner, answer_from: 'main', show_estimate: 'before-contact'}],
      },
      'partners.0.show_estimate: needs the calculator',
    ],
    [
      'an upstream without an address',
      {destinations: {main: {...upstream, url: 'ftp://x'}}},
      'destinations.main.url: ',
    ],
  ];
  const rows = wrongFields.flatMap(([place, says, values]) => {
    const [field = ''] = place.split('.');
    return values.map((value) => {
      const what = `${field} ${JSON.stringify(value)?.slice(0, 45)}`;
      return [what, {partners: [{...partner, [field]: value}]}, `partners.0.${place}: ${says}`] as const;
    });
  });
  for (const [what, file, path] of [...others, ...rows]) {
    test(`is refused with the place of the error: ${what}`, () => {
      const lines = wrongWith(file, credentials);
      assert.ok(
        lines.some((line) => line.includes(path)),
        lines.join('\n') || 'it was taken',
      );
    });
  }
  test('names all that is wrong at once', () => {
    const file = {
      partners: [
        {...partner, cid: ''},
        {...partner, key: '?', origins: ['x']},
      ],
    };
    const lines = wrongWith(file);
    for (const path of ['partners.0.cid', 'partners.1.key', 'partners.1.origins.0']) {
      assert.equal(lines.filter((line) => line.startsWith(`${path}: `)).length, 1, lines.join('\n'));
    }
  });
});

suite('an origin with a wildcard', () => {
  const wild = onePartner({...partner, origins: ['https://*.example.com', 'http://*.local:8080']});
  for (const [origin, admitted] of [
    ['https://a.example.com', true],
    ['https://a-1.example.com', true],
    ['http://shop.local:8080', true],
    ['https://a.b.example.com', false],
    ['https://example.com', false],
    ['https://.example.com', false],
    ['http://a.example.com', false],
    ['https://a.example.com:8443', false],
    ['https://a.example.com.evil.example', false],
    ['https://evil.example/.example.com', false],
    ['https://evil.example#.example.com', false],
    ['https://user@x.example.com', false],
    ['http://shop.local', false],
    ['null', false],
    ['', false],
  ] as const) {
    test(`${admitted ? 'admits' : 'refuses'} ${origin}`, () =>
      assert.equal(allowsOrigin(wild, origin), admitted));
  }
});

suite('two partners with two upstreams', () => {
  test('get the leads of their partners, and one that fails delays no other lead', async (t) => {
    const access = ['one', 'two'].map((name) => ({user: `${name}-user`, password: name, cid: `${name}-cid`}));
    const upstreams = await Promise.all(access.map((own) => openFor(t, startFakeUpstream({access: own}))));
    const [one, two] = upstreams;
    const file = {
      destinations: Object.fromEntries(
        ['one', 'two'].map((name, index) => [
          name,
          {
            ...upstream,
            url: upstreams[index]!.settings.url,
            cid: `${name}-cid`,
            credentials: name.toUpperCase(),
          },
        ]),
      ),
      partners: ['one', 'two'].map((name) => ({...partner, key: name, answer_from: name})),
    };
    const config = read(file, {
      CREDENTIALS_ONE_USER: 'one-user',
      CREDENTIALS_ONE_PASSWORD: 'one',
      CREDENTIALS_TWO_USER: 'two-user',
      CREDENTIALS_TWO_PASSWORD: 'two',
    });
    const {partners, destinations} = config;
    const server = await openFor(t, startTestServer({partners, destinations}));
    const answers = [
      await sentLead(server, somebody(), {partner: 'one'}),
      await sentLead(server, somebody(), {partner: 'two'}),
    ];
    assert.deepEqual(
      [one!.taken(), two!.taken()],
      answers.map(({id}) => [id]),
    );
    for (const [index, {exchanges}] of upstreams.entries()) {
      for (const {headers} of exchanges) {
        assert.equal(headers.authorization, basic(access[index]!).authorization);
      }
      assert.equal(exchanges[0]?.body['cid'], access[index]!.cid);
    }
    const foreign = await sendLead(server, somebody(), {partner: 'one', origin: 'https://other.example'});
    await readProblem(foreign, 403, 'origin-not-allowed');
    assert.equal(one!.taken().length, 1);

    access[0]!.password = 'another';
    assert.equal((await sentLead(server, somebody(), {partner: 'one'})).status, 'pending');
    assert.equal((await sentLead(server, somebody(), {partner: 'two'})).status, 'done');
    assert.deepEqual(await readJson(await server.fetch('/health'), 200), {status: 'degraded'});
  });
});

test('in the example of two partners in the guide, each has a mailbox of its own', () => {
  const guide = readFileSync('docs/partners.md', 'utf8');
  const [, example = ''] = /## Two partners[^]*?```json\n([^]*?)```/.exec(guide) ?? assert.fail('no example');
  const {partners, destinations} = readWith(example, {
    SMTP_URL: 'smtps://leads%40example.com:password@mail.example.com',
  });
  const mailboxesOf = (names: readonly string[]) => names.map((name) => destinations.get(name));
  const mailbox = (address: string) => ({type: 'email', to: [address], details: 'contact'});
  assert.partialDeepStrictEqual(
    partners.map(({key, sendTo}) => [key, mailboxesOf(sendTo)]),
    [
      ['acme', [mailbox('ana@acme.example')]],
      ['bright', [mailbox('ben@bright.example')]],
    ],
  );
});
