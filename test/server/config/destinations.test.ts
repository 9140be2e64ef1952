/** The destinations of the file: what each kind takes, what its errors say, and where leads are sent. */
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, suite, test} from 'node:test';
import {destinationKinds, type ChatSettings} from '../../../server/config/destinations.ts';
import type {FileFields} from '../../support/config-file.ts';
import {without} from '../../support/sample-leads.ts';
import {temporaryFolder} from '../../support/temporary-folder.ts';
import {acme, inFile} from '../../support/test-server.ts';
import {partner, readWith, wrongWith} from '../../support/wrong-settings.ts';

const caller = inFile(acme);

const folder = temporaryFolder({after});

const keys = [1, 2, 3].map((byte) => Buffer.alloc(24, byte));
const [secret = '', newSecret = '', thirdSecret = ''] = keys.map((key) => `whsec_${key.toString('base64')}`);

const lender = {type: 'lead-api', url: 'https://api.lender.example/v1/', cid: 'u-1', credentials: 'LENDER'};
const crm = {type: 'webhook', url: 'https://hooks.crm.example/in?token=abc', credentials: 'CRM'};
const mail = {type: 'email', to: ['sales@partner.example']};

const lenderAccess = {CREDENTIALS_LENDER_USER: 'us', CREDENTIALS_LENDER_PASSWORD: 'secret-of-lender'};
const crmAccess = {CREDENTIALS_CRM_SECRET: secret};
const mailAccess = {SMTP_URL: 'smtp://me:p%40ss@mail.example'};
const from = 'Leads <leads@partner.example>';

type Settings = Record<string, string>;
type Given = [destinations: unknown, settings?: Settings, partnerFields?: object, more?: FileFields];

/** The configuration of a server with these destinations, whose only partner has these fields. */
const configuration = (...[destinations, settings, fields = {}, more = {}]: Given) =>
  [{destinations, partners: [{...partner, ...fields}], mail_from: from, ...more}, settings] as const;
const read = (...given: Given) => readWith(...configuration(...given));
const wrong = (...given: Given) => wrongWith(...configuration(...given));

suite('a destination', () => {
  test('of each kind needs few fields, and gets the rest from the environment', () => {
    const {destinations} = read({lender, crm, mail}, {...lenderAccess, ...crmAccess, ...mailAccess});
    assert.deepEqual(Object.fromEntries(destinations), {
      lender: {
        type: 'lead-api',
        url: 'https://api.lender.example/v1',
        cid: 'u-1',
        user: 'us',
        password: 'secret-of-lender',
        attributionInNotes: false,
        onLostReply: 'send',
      },
      crm: {
        type: 'webhook',
        url: crm.url,
        namedHost: 'hooks.crm.example',
        secrets: [keys[0]],
        isInternal: false,
      },
      mail: {
        type: 'email',
        to: ['sales@partner.example'],
        details: 'none',
        smtpUrl: 'smtp://me:p%40ss@mail.example',
        from,
        rounding: 1_000,
        partnerNames: {acme: 'acme'},
        replyTo: 'visitor',
      },
    });
  });
  test('of each kind takes all its fields', () => {
    const pace = {per_second: 0.5, parallel: 100};
    const {destinations} = read(
      {
        lender: {...lender, attribution_in_notes: true, on_lost_reply: 'hold', ...pace},
        crm: {...crm, internal: true, events: ['lead.answered'], ...pace},
        mail: {...mail, to: ['a@partner.example', 'b@partner.example'], details: 'contact', reply_to: 'none'},
      },
      {...lenderAccess, ...crmAccess, ...mailAccess},
    );
    const paced = {perSecond: 0.5, parallel: 100};
    assert.partialDeepStrictEqual(Object.fromEntries(destinations), {
      lender: {attributionInNotes: true, onLostReply: 'hold', ...paced},
      crm: {isInternal: true, events: ['lead.answered'], ...paced},
      mail: {to: ['a@partner.example', 'b@partner.example'], details: 'contact', replyTo: 'none'},
    });
  });
  test('alerts need no destination, and a note says what a chat room keeps of erased leads', () => {
    const room = {type: 'chat', format: 'slack', credentials: 'ROOM', details: 'contact'};
    const pages = {ADMIN_URL: 'https://admin.example.com/'};
    const access = {...mailAccess, ...pages, CREDENTIALS_ROOM_URL: 'https://hooks.slack.example/services/T0'};
    const {alerts, notes, destinations} = read(
      {room, quiet: {...room, details: 'none'}, linked: {...room, details: 'link'}},
      access,
      {},
      {alerts_to: ['me@partner.example', 'you@partner.example']},
    );
    assert.deepEqual(alerts, {
      ...{to: ['me@partner.example', 'you@partner.example'], from},
      smtpUrl: mailAccess.SMTP_URL,
    });
    assert.deepEqual(
      notes.flatMap((note) => /^The chat room (\w+) cannot be made to forget/.exec(note)?.[1] ?? []),
      ['room'],
    );
    const {leadPages} = destinations.get('linked') as ChatSettings;
    assert.equal(leadPages, 'https://admin.example.com/leads/');
  });
  test('a webhook has two secrets while its receiver changes to a new one', () => {
    const {destinations} = read({crm}, {CREDENTIALS_CRM_SECRET: `${secret}, ${newSecret}`});
    assert.partialDeepStrictEqual(destinations.get('crm'), {secrets: keys.slice(0, 2)});
  });
  test('a webhook takes its URL from the environment or a file, if the URL is a secret', () => {
    const {url, ...withoutUrl} = crm;
    const urlFile = join(folder, 'url');
    writeFileSync(urlFile, `${url}\n`);
    for (const settings of [{CREDENTIALS_CRM_URL: url}, {CREDENTIALS_CRM_URL_FILE: urlFile}] as Settings[]) {
      const {destinations} = read({crm: withoutUrl}, {...crmAccess, ...settings});
      assert.partialDeepStrictEqual(destinations.get('crm'), {url});
    }
  });
  test('a receiver in the network of the server may be reached over http, if it says so', () => {
    for (const url of ['http://crm.internal:8080/in', 'http://[fd00::1]/in', 'https://crm.internal/in'])
      assert.partialDeepStrictEqual(
        read({crm: {...crm, url, internal: true}}, crmAccess).destinations.get('crm'),
        {url, isInternal: true},
      );
    const secret = {...crmAccess, CREDENTIALS_CRM_URL: 'http://crm.internal'};
    assert.deepEqual(wrong({crm: {...without(crm, 'url'), internal: true}}, secret), []);
  });
  test('a chat room takes its URL from the environment alone, and only over https', () => {
    const room = {type: 'chat', format: 'teams', credentials: 'ROOM', events: ['lead.created']};
    const address = 'https://teams.example/workflows/secret';
    const {destinations} = read({room}, {CREDENTIALS_ROOM_URL: address});
    assert.deepEqual(destinations.get('room'), {
      type: 'chat',
      format: 'teams',
      url: address,
      isInternal: false,
      details: 'none',
      events: ['lead.created'],
      rounding: 1_000,
      partnerNames: {acme: 'acme'},
    });
    assert.throws(() => read({room: {...room, url: address}}), /room.*url/is);
    assert.throws(() => read({room}, {CREDENTIALS_ROOM_URL: 'http://teams.example/x'}), /https:\/\//);
  });
  test('an internal webhook and a link are no faults while another setting is wrong', () => {
    const access = {...crmAccess, ...mailAccess, ADMIN_URL: 'https://admin.example.com'};
    const settings = {...access, PORT: 'eighty'};
    const linked = {...mail, details: 'link'};
    const [line = '', ...others] = wrong(
      {linked, crm: {...crm, url: 'http://crm.internal/in', internal: true}},
      settings,
    );
    assert.match(line, /^PORT /);
    assert.deepEqual(others, []);
  });
  test('mail servers and senders are accepted in each right spelling', () => {
    const encoded = 'smtp://me%40partner.example:a%2Fb%23c@[::1]:25/';
    for (const SMTP_URL of ['smtp://localhost', 'smtps://me:pass@mail.example:465', encoded])
      assert.deepEqual(wrong({mail}, {SMTP_URL}), []);
    const named = '"Leads, Inc." <leads@partner.example>';
    for (const mail_from of ['leads@partner.example', named, 'leads@bücher.example'])
      assert.deepEqual(wrong({mail}, mailAccess, {}, {mail_from}), []);
  });
  test('the sender of e-mails is the mailbox in SMTP_URL, where the file names none', () => {
    const SMTP_URL = 'smtps://leads%40partner.example:secret@mail.example';
    const noSender = {mail_from: undefined, alerts_to: ['me@partner.example']};
    const {alerts, destinations} = read({mail}, {SMTP_URL}, {}, noSender);
    for (const each of [alerts, destinations.get('mail')])
      assert.partialDeepStrictEqual(each, {from: 'leads@partner.example'});
    assert.partialDeepStrictEqual(read({mail}, {SMTP_URL}).destinations.get('mail'), {from});
  });
});

/** No message may hold this text. It stands where operators write secrets, or may write them by mistake. */
const canary = 'canary';

suite('a destination that is wrong is refused with its field', () => {
  const kinds = Object.keys(destinationKinds);
  const overHttp = 'must start with https://, unless "internal": true says that it is in your network';
  const noKind = (name: string) => `${name}.type: must be one of ${kinds.join(', ')}`;

  for (const type of kinds) {
    test(`the kind ${type} of the registry is known`, () => {
      const faults = wrong({crm: {type}});
      assert.notDeepEqual(faults, []);
      assert.ok(!faults.some((fault) => fault.endsWith(noKind('crm'))));
    });
  }

  const refused: readonly [destinations: object, ...faults: string[]][] = [
    [{crm: {url: canary}, mail: {...mail, type: canary}}, noKind('crm'), noKind('mail')],
    [{crm: canary}, 'crm: must be an object'],
    [{crm: {...crm, cid: canary}}, 'crm: has an unknown field: cid'],
    [{mail: {...mail, per_second: 1}}, 'mail: has an unknown field: per_second'],
    [{crm: {...crm, credentials: undefined}}, 'crm.credentials: is missing'],
    [
      {lender: {...lender, credentials: `us:${canary}`}},
      'lender.credentials: must be the name of credentials, in capitals',
    ],
    [{crm: {...crm, url: 5}}, 'crm.url: must be a text'],
    [{crm: {...crm, url: canary}}, 'crm.url: must be a URL that starts with https://'],
    [
      {crm: {...crm, url: `https://me:${canary}@crm.example`}},
      'crm.url: must have no user name and no password',
    ],
    [{crm: {...crm, url: `http://crm.example/${canary}`}}, `crm.url: ${overHttp}`],
    [
      {crm: {...crm, per_second: 0, parallel: 0}},
      'crm.per_second: must be above 0',
      'crm.parallel: must be at least 1',
    ],
    [
      {lender: {...lender, per_second: 10_001, parallel: 101}},
      'lender.per_second: must be at most 10000',
      'lender.parallel: must be at most 100',
    ],
    [
      {lender: {...lender, per_second: canary, parallel: 1.5}},
      'lender.per_second: must be a number',
      'lender.parallel: must be a whole number',
    ],
    [
      {lender: {...lender, attribution_in_notes: 'yes'}},
      'lender.attribution_in_notes: must be true or false',
    ],
    [{mail: {...mail, to: []}}, 'mail.to: must hold at least 1'],
    [{mail: {...mail, to: canary}}, 'mail.to: must be a list'],
    [{mail: {...mail, to: [canary]}}, 'mail.to.0: must be an e-mail address'],
    [{mail: {...mail, to: [...mail.to, ...mail.to]}}, 'mail.to: must not hold an address twice'],
    [
      {mail: {...mail, to: Array.from({length: 21}, (_, index) => `${canary}${index}@partner.example`)}},
      'mail.to: must hold at most 20',
    ],
    [{crm: {...crm, events: []}}, 'crm.events: must hold at least one type of event'],
    [
      {crm: {...crm, events: ['lead.created', 'lead.erased']}},
      'crm.events.1: must be one of lead.created, lead.answered, lead.outcome',
    ],
    [
      {crm: {...crm, events: ['lead.created', 'lead.created']}},
      'crm.events: must not hold a type of event twice',
    ],
    [{mail: {...mail, details: 'link'}}, 'mail.details: link needs the setting ADMIN_URL, which is missing'],
    [{mail: {...mail, details: canary}}, 'mail.details: must be one of none, link, contact'],
    [{default: crm, calculator: crm}, 'calculator: is the name of the calculator'],
    [{lender: {...lender, on_lost_reply: 'drop'}}, 'lender.on_lost_reply: must be one of send, hold'],
    [{crm: {...crm, internal: 'yes'}}, 'crm.internal: must be true or false'],
    [{crm: {...crm, intern: true}}, 'crm: has an unknown field: intern: did you mean internal?'],
    [{'my crm': crm}, 'my crm: has a name that must be letters, digits and dashes'],
  ];
  for (const [destinations, ...faults] of refused) {
    test(`a destination that is wrong is refused with its field: ${faults[0]?.slice(0, 45)}`, () => {
      assert.deepEqual(
        wrong(destinations, {...lenderAccess, ...crmAccess, ...mailAccess}),
        faults.map((fault) => `destinations.${fault}`),
      );
    });
  }
});

test('an unused secret is warned of, also the URL of a webhook that has one in the file', () => {
  const unused = {CREDENTIALS_CRM_URL: `https://crm.example/${canary}`, CREDENTIALS_OLD_SECRET: canary};
  const {destinations, warnings} = read({crm}, {...crmAccess, ...unused});
  assert.partialDeepStrictEqual(destinations.get('crm'), {url: crm.url});
  assert.deepEqual(warnings, [
    'CREDENTIALS_CRM_URL is not used by any destination: remove it',
    'CREDENTIALS_OLD_SECRET is not used by any destination: remove it',
  ]);
});

suite('a setting of a destination that is wrong is refused by its name', () => {
  const crmWithoutUrl = without(crm, 'url');
  const notAServer =
    'must be an address such as smtp://user:password@host:587, without path and parameters, and with signs such as / or # of a password encoded';
  const wrongServer = `SMTP_URL ${notAServer}`;
  const wrongSender = 'mail_from: must be one e-mail address, such as Leads <leads@example.com>';
  const needs = (setting: string, name: string) => `${setting} is missing, which ${name} needs`;
  const needsSecret = needs('CREDENTIALS_CRM_SECRET', 'destinations.crm');
  const refused: [destinations: object, settings: Settings, ...lines: string[]][] = [
    [{crm}, {}, needsSecret],
    [{crm: crmWithoutUrl}, {}, needs('CREDENTIALS_CRM_URL', 'destinations.crm'), needsSecret],
    [{mail}, {}, needs('SMTP_URL', 'destinations.mail')],
    // Once for all e-mails.
    [{mail, others: {...mail, details: 'contact'}}, {SMTP_URL: canary}, wrongServer],
  ];
  for (const [destinations, settings, ...lines] of refused) {
    test(`a setting of a destination that is missing or wrong is named: ${lines[0]?.slice(0, 35)}`, () => {
      assert.deepEqual(wrong(destinations, settings), lines);
    });
  }
  const wrongValues: [destinations: object, name: string, says: string, values: readonly string[]][] = [
    [{crm: crmWithoutUrl}, 'CREDENTIALS_CRM_URL', 'must be a URL that starts with https://', [canary]],
    [
      {crm: crmWithoutUrl},
      'CREDENTIALS_CRM_URL',
      'must start with https://, unless "internal": true says that it is in your network',
      [`http://crm.example/${canary}`],
    ],
    [
      {crm},
      'CREDENTIALS_CRM_SECRET',
      'must be whsec_ and 24 to 64 bytes in base64',
      [
        ...[canary, secret.slice('whsec_'.length), `${secret}==`, `${secret} ${canary}`],
        ...[23, 65].map((bytes) => `whsec_${Buffer.alloc(bytes).toString('base64')}`),
        `whsec_${Buffer.alloc(32).toString('base64').replace('=', '')}`,
        `whsec_${Buffer.alloc(33, 255).toString('base64url')}`,
      ],
    ],
    [{crm}, 'CREDENTIALS_CRM_SECRET', 'must hold a secret', [',']],
    [
      {crm},
      'CREDENTIALS_CRM_SECRET',
      'must hold two secrets at most',
      [`${secret} ${newSecret} ${thirdSecret}`],
    ],
    [
      {mail},
      'SMTP_URL',
      notAServer,
      [
        ...[`smtp://me:${canary}@mail.example?ignoreTLS=true`, `smtp://me:${canary}@mail.example/#`],
        ...[`smtp://me:${canary}@mail.example/?requireTLS=false`, 'smtp://me:can/ary@mail.example'],
        ...[`smtp:${canary}`, 'smtp://', `http://${canary}.example`],
      ],
    ],
  ];
  for (const [destinations, name, says, values] of wrongValues)
    for (const value of values)
      test(`a setting of a destination that is wrong is refused by its name: ${name} ${value}`, () => {
        const found = wrong(destinations, {...crmAccess, ...mailAccess, [name]: value});
        assert.deepEqual(found, [`${name} ${says}`]);
        assert.doesNotMatch(found.join('\n'), /canary|can\/ary/);
      });
  test('a sender that is wrong is refused, or one that is missing where no mailbox signs in', () => {
    for (const mail_from of [
      canary,
      `${canary}@`,
      `Leads <${canary}>`,
      `a@partner.example, ${canary}@partner.example`,
      `Leads\r\nBcc: ${canary}@partner.example <a@partner.example>`,
    ])
      assert.deepEqual(wrong({mail}, mailAccess, {}, {mail_from}), [wrongSender], mail_from);
    const missing =
      'mail_from: is missing, because the user in SMTP_URL is no mailbox: the sender of e-mails';
    for (const [destinations, more] of [
      [{mail}, {}],
      [{}, {alerts_to: ['me@partner.example']}],
    ] as const)
      assert.deepEqual(wrong(destinations, mailAccess, {}, {mail_from: undefined, ...more}), [missing]);
    const alerts_to = ['me@partner.example'];
    assert.deepEqual(wrong({}, {}, {}, {alerts_to}), [needs('SMTP_URL', 'alerts_to')]);
  });
});

suite('the way of leads', () => {
  const access = {...lenderAccess, ...crmAccess, ...mailAccess};
  const all = {lender, crm, mail};

  test('the leads of a partner are answered by one destination and sent to others', () => {
    const {partners} = read(all, access, {answer_from: 'lender', send_to: ['crm', 'mail']});
    assert.partialDeepStrictEqual(partners[0], {answerFrom: 'lender', sendTo: ['crm', 'mail']});
  });
  test('the calculator answers the leads of a partner by default, or where it is named', () => {
    for (const fields of [{}, {answer_from: 'calculator'}]) {
      const {partners} = read(all, access, {send_to: ['crm'], ...fields});
      assert.equal(partners[0].answerFrom, undefined);
      assert.deepEqual(partners[0].sendTo, ['crm']);
    }
  });
  test('the leads of a caller go the way that its entry says', () => {
    const callers = [{...caller, answer_from: 'lender', send_to: ['crm']}];
    const [one] = read(all, access, {}, {callers}).callers;
    assert.partialDeepStrictEqual(one, {answer_from: 'lender', send_to: ['crm']});
  });

  const wrongRoutes: readonly [fields: object, ...faults: string[]][] = [
    [
      {answer_from: 'other', send_to: ['crm', 'another']},
      'answer_from: other is not among the destinations',
      'send_to: another is not among the destinations',
    ],
    [{answer_from: 'crm'}, 'answer_from: crm is no lead-api, so it cannot answer leads'],
    [{answer_from: 'mail'}, 'answer_from: mail is no lead-api, so it cannot answer leads'],
    [
      {answer_from: 'lender', send_to: ['lender']},
      'send_to: lender gets the leads already, because it answers them',
    ],
    [
      {send_to: ['ana@acme.example']},
      'send_to.0: must be the name of a destination, in letters, digits and dashes: an e-mail address is in "to" of that one (docs/email.md)',
    ],
    [{send_to: ['calculator']}, 'send_to: calculator is not among the destinations'],
    [{answer_from: 'default'}, 'answer_from: default is not among the destinations'],
    [{send_to: ['crm', 'crm']}, 'send_to: must not name a destination twice'],
  ];
  for (const [fields, ...faults] of wrongRoutes) {
    test(`a way of leads that is wrong is refused, for partners and callers: ${JSON.stringify(fields)}`, () => {
      assert.deepEqual(
        wrong(all, access, fields),
        faults.map((fault) => `partners.0.${fault}`),
      );
      assert.deepEqual(
        wrong(all, access, {}, {callers: [{...caller, ...fields}]}),
        faults.map((fault) => `callers.0.${fault}`),
      );
    });
  }
});
