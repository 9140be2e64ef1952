/** What the e-mails say. The examples in docs/email.md and examples.md are compared with what a mail server gets. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, suite, test} from 'node:test';
import {findPhoneNumbersInText} from 'libphonenumber-js';
import fc from '../../../support/properties.ts';
import {destinationSchema, type EmailSettings} from '../../../../server/config/destinations.ts';
import {createEmail} from '../../../../server/destinations/email/email.ts';
import type {
  DeliveryRequest,
  Destination,
  RecordRequest,
} from '../../../../server/destinations/destination.ts';
import type {LeadRecord} from '../../../../server/leads/stored-lead.ts';
import {tableOf} from '../../../../contract/table-of.ts';
import {isolated} from '../../../../server/leads/hidden-characters.ts';
import {emailSettings} from '../../../support/email-settings.ts';
import {startMailServer, type Received} from '../../../support/mail-server.ts';
import {openForSuite} from '../../../support/opened.ts';
import {columnOf} from '../../../support/rows.ts';
import {
  asLead,
  doneAnswer,
  leadWith,
  prequalificationBody,
  sampleConsent,
  standardBody,
} from '../../../support/sample-leads.ts';
import {
  erasedRequest,
  eventRequest,
  revokedRequest,
  sampleTime,
  telling,
} from '../../../support/sample-events.ts';

type Changes = Partial<LeadRecord>;
type RecordContent = RecordRequest['content'];

const minutes = (count: number) => sampleTime + count * 60_000;
/** Its reference is M6SC-7N75. */
const earlier = '01934b2c-0000-7000-8000-00a1b2c3d4e5';
const attribution = {utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'spring'};
const standard: Changes = {lead: asLead(standardBody), answer: {...doneAnswer, amounts: null}};
const later: Changes = {isAnsweredLater: true};

/** The titles are those of the examples in docs/email.md and examples.md. */
const examples: Record<string, [requests: DeliveryRequest[], changes?: Partial<EmailSettings>]> = {
  'A new lead': [[eventRequest({attribution})]],
  'A new lead, with `details: contact`': [[eventRequest(telling)], {details: 'contact'}],
  'A new lead, with `details: link`': [
    [eventRequest({...telling, attribution})],
    {details: 'link', leadPages: 'https://admin.example.com/leads/'},
  ],
  'A lead without an answer yet': [[eventRequest({...later, partner: null})]],
  'The answer': [[eventRequest(later, 'answered', minutes(10))]],
  'A refusal': [[eventRequest({...later, answer: {status: 'refused'}}, 'refused', minutes(10))]],
  'A corrected lead': [[eventRequest({supersedes: earlier})]],
  'An erased lead': [[erasedRequest()]],
  'A consent that was revoked': [[revokedRequest()]],
  'A consent that was revoked, with `details: contact`': [[revokedRequest()], {details: 'contact'}],
};

const documentation = readFileSync(new URL('../../../../docs/email.md', import.meta.url), 'utf8');
const others = readFileSync(new URL('examples.md', import.meta.url), 'utf8');
const documented = new Map(
  [...`${documentation}\n${others}`.matchAll(/^### (.+)\n\n(?:.+\n\n)*```text\n([^]*?)```$/gm)].map(
    ([, title, text]) => [title, text],
  ),
);

suite('the texts of e-mails', () => {
  const server = openForSuite(() => startMailServer());

  /** The destinations by their settings. Each keeps its connection for the tests that follow. */
  const destinations = new Map<string, Destination>();
  after(() => Promise.all([...destinations.values()].map((email) => email.close())));

  async function sent(requests: readonly DeliveryRequest[], changes: Partial<EmailSettings> = {}) {
    const settings = emailSettings(`smtp://127.0.0.1:${server.port}`, changes);
    const email = destinations.get(JSON.stringify(settings)) ?? createEmail(settings, 20_000);
    destinations.set(JSON.stringify(settings), email);
    const before = server.received.length;
    await Promise.all(requests.map((request) => email.deliver(request)));
    return server.received.slice(before);
  }
  async function sentOne(...args: Parameters<typeof sent>): Promise<Received> {
    const [email, ...others] = await sent(...args);
    assert.ok(email);
    assert.equal(others.length, 0);
    return email;
  }
  const subjectOf = async (...args: Parameters<typeof sent>) => (await sentOne(...args)).parsed.subject;
  const shown = ({parsed}: Received) =>
    `Subject: ${parsed.subject}\n\n${(parsed.text ?? '').replaceAll('\r\n', '\n').trimEnd()}\n`;

  for (const [title, example] of Object.entries(examples)) {
    test(`the example is what is sent: ${title}`, async () => {
      assert.equal(shown(await sentOne(...example)), documented.get(title) ?? '');
    });
  }
  test('docs/email.md shows destinations that the partners file may have', () => {
    const [, json = ''] = /```json\n([^]*?)```/.exec(documentation) ?? [];
    const {destinations} = JSON.parse(json) as {destinations: Record<string, unknown>};
    for (const destination of Object.values(destinations)) destinationSchema.parse(destination);
  });
  test('there are no other examples', () => {
    assert.deepEqual([...documented.keys()].toSorted(), Object.keys(examples).toSorted());
  });

  test('the subject of a standard lead has no amount', async () => {
    assert.equal(await subjectOf([eventRequest(standard)]), 'New lead K7QM-2XHD from acme');
    const pending = eventRequest({...standard, ...later, answer: {status: 'pending'}});
    assert.equal(await subjectOf([pending]), 'New lead K7QM-2XHD from acme');
    const answered = eventRequest({...standard, ...later}, 'answered');
    assert.equal(await subjectOf([answered]), 'Lead K7QM-2XHD was answered');
  });

  test('a lead that may be from a bot and is sent all the same says so', async () => {
    const {parsed} = await sentOne([eventRequest({suspect: 'fast'})]);
    assert.match(
      parsed.text ?? '',
      /^May be a bot: it was sent faster than people type\.\nLook before you call\.\n/,
    );
    const who = await sentOne([eventRequest({...telling, suspect: 'fast'})], {details: 'contact'});
    assert.match(who.parsed.subject ?? '', /^May be a bot: Ana Silva/);
    assert.equal(who.parsed.replyTo, undefined);
  });

  test('it begins with whom to call, when, in which language and whether, and has the number once', async () => {
    const {parsed} = await sentOne([eventRequest(telling)], {details: 'contact'});
    assert.equal(parsed.subject, 'Ana Silva, $862,000 (acme)');
    const lines = (parsed.text ?? '').split('\n');
    assert.deepEqual(lines.slice(0, 7), [
      ...['Ana Silva', 'In the evening, in Spanish', ''],
      ...['May be called until 8 PM on Friday in New York.', 'It came at 12:45 PM in New York.', ''],
      'Call +1 305-555-0142 ext. 12',
    ]);
    assert.doesNotMatch([...lines.slice(1, 6), ...lines.slice(7)].join('\n'), /Silva|305|lead-prequal/);
    assert.match(parsed.html ?? '', /<a\s+href="tel:\+13055550142"[^>]*>Call \+1 305-555-0142 ext\. 12<\/a/);
    assert.deepEqual(columnOf(parsed.replyTo ?? [], 'address'), ['ana@example.com']);
    const bare = await sentOne([eventRequest(telling)]);
    assert.doesNotMatch(bare.parsed.text ?? '', /evening|Spanish|New York|bakery/);
  });

  const contact = {details: 'contact'} as const;
  const textOf = async (...args: Parameters<typeof sent>) => (await sentOne(...args)).parsed.text ?? '';

  test('out of hours, subject and text say so, and name the day from which it may be called', async () => {
    // On a Saturday at 9:08 PM in New York.
    const saturday = eventRequest({...telling, createdAt: Date.UTC(2026, 10, 29, 2, 8)});
    const {parsed} = await sentOne([saturday], {...contact, partnerNames: {acme: 'Acme Funding'}});
    assert.equal(parsed.subject, 'Ana Silva, $862,000, not now (Acme Funding)');
    assert.match(
      parsed.text ?? '',
      /\nNot now: it came at 9:08 PM in New York\.\nFrom 8 AM on Sunday in New York\.\n/,
    );
    assert.match(parsed.text ?? '', /\nFrom: Acme Funding\n/);
  });

  test('what is sent later than it came has the hours of that moment', async () => {
    const request = {...eventRequest(telling), now: Date.UTC(2026, 10, 23, 12, 5)};
    const {parsed} = await sentOne([request], contact);
    assert.match(parsed.subject ?? '', /, not now \(acme\)$/);
    assert.match(
      parsed.text ?? '',
      /\nNot now: it was 7:05 AM in New York when this was sent\.\nFrom 8 AM on Monday in New York\.\n/,
    );
  });

  test('where nobody agreed, or nothing says where the phone is, it says to ask', async () => {
    assert.match(
      await textOf([eventRequest({...telling, consent: null})], contact),
      /no consent is stored\./,
    );
    const lead = leadWith({phone: '833-555-0142'});
    const {parsed} = await sentOne([eventRequest({...telling, lead})], contact);
    assert.match(parsed.text ?? '', /\nNot known whether you may call: nothing says in which time zone/);
    assert.match(parsed.subject ?? '', /, ask before you call \(acme\)$/);
  });

  test('who wants a text message first gets a second button', async () => {
    const lead = {...eventRequest(telling).lead.lead, call_time: 'text_first'} as const;
    const {parsed} = await sentOne([eventRequest({...telling, lead})], contact);
    assert.match(parsed.text ?? '', /\nCall \+1 305-555-0142 ext\. 12\nText \+1 305-555-0142\n/);
    assert.match(parsed.html ?? '', /href="sms:\+13055550142"/);
  });

  test('an answer goes to the visitor, unless the mailbox or `details` says otherwise', async () => {
    const replyTo = async (changes: Partial<EmailSettings>) =>
      (await sentOne([eventRequest(telling)], changes)).parsed.replyTo?.map(({address}) => address);
    assert.deepEqual(await replyTo(contact), ['ana@example.com']);
    assert.equal(await replyTo({...contact, replyTo: 'none'}), undefined);
    assert.equal(await replyTo({}), undefined);
  });

  test('a correction says what was changed, and what was there before', async () => {
    const before = eventRequest(telling).lead;
    const lead = leadWith({cash: 50_000, state: 'NY'});
    const request = eventRequest({...telling, lead: {...lead, first_name: 'Ana'}, supersedes: earlier});
    const text = await textOf([{...request, corrected: () => Promise.resolve(before)}], contact);
    assert.match(
      text,
      /\nChanged: .*Cash \(was \$38,000\).*Phone \(was \+1' 305'-555'-0142 ext\. 12\), State \(was FL\).*When to call \(was in the evening\)/,
    );
    assert.doesNotMatch(text, /First name \(/);
    assert.doesNotMatch(
      await textOf([{...request, corrected: () => Promise.resolve(before)}]),
      /Changed|305/,
    );
  });

  test('with the pages of operators, it has a button to the page of the lead', async () => {
    const leadPages = 'https://admin.example.com/leads/';
    const {parsed} = await sentOne([eventRequest(telling)], {...contact, leadPages});
    const page = `${leadPages}${eventRequest(telling).lead.id}`;
    assert.ok((parsed.text ?? '').includes(`\nOpen the lead: ${page}\n`));
    assert.ok((parsed.html ?? '').includes(`href="${page}"`));
  });

  test('a name in Arabic stands in isolates, so that the number after it keeps its order', async () => {
    const lead = leadWith({first_name: 'ليلى', last_name: 'حداد'});
    const one = await sentOne([eventRequest({...telling, lead})], contact);
    assert.equal((one.parsed.text ?? '').split('\n')[0], '\u2068ليلى حداد\u2069');
    assert.ok((one.parsed.subject ?? '').startsWith('\u2068ليلى حداد\u2069, $862,000'));
  });

  test('text and HTML say the same, in the same order', async () => {
    for (const [requests, changes = {}] of Object.values(examples)) {
      const {parsed} = await sentOne(requests, changes);
      const ofHtml = (parsed.html ?? '').replace(/^[^]*<body[^>]*>|<[^>]+>|&(?:#\d+|\w+);/g, ' ');
      const words = (text = '') =>
        text
          .replace(/^> /gm, '')
          // A button has its address where nobody reads it, and a column needs no colon.
          .replace(/(Open the lead): \S+/g, '$1')
          .replace(/[\s:&<>"{}[\]]/g, '');
      assert.equal(words(ofHtml), words(parsed.text));
    }
  });

  test('the same lead again has no e-mail of its own', async () => {
    const before = server.received.length;
    await assert.rejects(sent([eventRequest({duplicateOf: earlier})]), {state: 'skipped'});
    assert.equal(server.received.length, before);
  });

  test('an answer and a correction join the thread of the first e-mail', async () => {
    const follows = async (changes: Changes, content?: RecordContent) => {
      const {parsed} = await sentOne([eventRequest(changes, content)]);
      assert.equal(parsed.references, parsed.inReplyTo);
      return parsed.inReplyTo;
    };
    const first = await sentOne([eventRequest(later)]);
    assert.equal(await follows(later, 'answered'), first.parsed.messageId);
    assert.equal(await follows(later, 'refused'), first.parsed.messageId);
    assert.equal((await sentOne([erasedRequest()])).parsed.inReplyTo, first.parsed.messageId);
    const earlierId = `<evt_created_${earlier}@partner.example>`;
    assert.equal(await follows({supersedes: earlier}), earlierId);
    assert.equal(await follows({}), undefined);
  });

  test('the same event has the same Message-ID in every attempt', async () => {
    const idOf = async (request: DeliveryRequest) => (await sentOne([request])).parsed.messageId;
    assert.equal(await idOf(eventRequest()), await idOf({...eventRequest(), attempts: 3}));
  });

  test('a stop names who with contacts, and nobody elsewhere or once nothing is known', async () => {
    const {parsed} = await sentOne([revokedRequest()], contact);
    assert.equal(parsed.subject, 'Stop: Ana Silva, +1 305-555-0142');
    assert.ok(!String(parsed.html).includes('tel:'), 'nothing dials the number');
    const leadPages = 'https://admin.example.com/leads/';
    const unknown = await sentOne([{...revokedRequest(), contact: undefined}], contact);
    const quiet = [
      await sentOne([revokedRequest()], {details: 'none'}),
      await sentOne([revokedRequest()], {details: 'link', leadPages}),
    ];
    for (const {raw} of [unknown, ...quiet]) assert.doesNotMatch(raw, /Silva|0142|ana@/);
    assert.match(unknown.parsed.text ?? '', /Stop calls and messages/);
  });

  test('an erased lead that came over the API has its caller in place of a partner', async () => {
    assert.equal(
      await subjectOf([erasedRequest({partner: null})]),
      'Lead K7QM-2XHD from a caller of the API was erased: delete what you have of it',
    );
  });

  test('a delivery that no e-mail can report fails, and does not end the process', async () => {
    await assert.rejects(sent([eventRequest({}, 'lead')]));
  });

  suite('what visitors and links bring', () => {
    const eventContents = ['created', 'answered', 'refused'] as const;
    /** Long enough not to occur by chance. */
    const secret = fc.stringMatching(/^[a-zA-Z]{12,30}$/);
    const secrets = ['first_name', 'last_name', 'mailbox', 'notes', 'click', 'page', 'userAgent'] as const;
    const anyRequest = fc.record({
      ...tableOf(secrets, () => secret),
      phone: fc.stringMatching(/^[2-9]\d{9}$/),
      content: fc.constantFrom(...eventContents),
    });

    test('without `details: contact`, an e-mail holds no personal data', () =>
      fc.assert(
        fc.asyncProperty(anyRequest, async ({content, click, page, userAgent, mailbox, ...typed}) => {
          const email = `${mailbox}@example.org`;
          const lead = leadWith({...typed, email});
          const clicked = {gclid: click, fbclid: click};
          const [referrer, ip] = [`https://example.net/${page}`, '198.51.100.77'];
          const request = eventRequest(
            {
              lead,
              ...later,
              attribution: {...attribution, ...clicked, utm_term: page, referrer, landing_page: referrer},
              consent: {...sampleConsent, origin: 'https://example.net', page: referrer, ip, userAgent},
            },
            content,
          );
          const values = [...Object.values(typed), mailbox, click, page, userAgent, ip, lead.phone.e164];
          const {raw, parsed} = await sentOne([request]);
          const all = [raw, parsed.subject, parsed.text, parsed.html].join('\n').toLowerCase();
          for (const value of values) assert.ok(!all.includes(value.toLowerCase()), value);
        }),
        {numRuns: 30},
      ));

    test('line breaks and control characters start no header and no line, and long values are cut', () => {
      const signs = ['\r\n', '\n', '\r', '\0', '\u2028', '\u202e', '\u0085', ' ', ' '.repeat(80), 'é', '😀'];
      const hostile = fc
        .array(fc.constantFrom('Bcc: eve@example.org', ...signs))
        .map((parts) => `x${parts.join('')}`);
      return fc.assert(
        fc.asyncProperty(hostile, fc.nat(2_000), async (text, length) => {
          const value = text + 'y'.repeat(length);
          const named = {first_name: value, last_name: value, email: `${value}@example.org`};
          const lead = {...asLead(prequalificationBody), ...named};
          const request = eventRequest({
            // A name of a partner has no such characters today. Here it has.
            partner: value,
            lead: {...lead, phone: {typed: value, e164: '+12025550142'}},
            attribution: {utm_source: value, utm_medium: value, utm_campaign: value},
          });
          const {parsed, to, raw} = await sentOne([request], {details: 'contact'});
          assert.deepEqual(to, ['sales@example.com']);
          const headers = parsed.headers.map(({key}) => key).filter((key) => key !== 'reply-to');
          assert.deepEqual(headers.toSorted(), [...usualHeaders].toSorted());
          assert.ok((parsed.subject ?? '').length < 200);
          assert.equal(parsed.text?.trimEnd().split('\n').length, 20);
          assert.ok(Math.max(...raw.split('\r\n').map((line) => line.length)) <= 998);
          assert.doesNotMatch(parsed.text ?? '', /[\0\u2028\u202e\u0085]| {2}/);
        }),
        {numRuns: 50},
      );
    });

    /** What programs make links of, and how it is written instead. */
    const linkable: Record<string, string> = {
      'http://evil.example/a?b=c#d': 'http[:]//evil[.]example/a?b=c#d',
      'www.evil.example': 'www[.]evil[.]example',
      'evil.example': 'evil[.]example',
      'mailto:eve@evil.example': 'mailto[:]eve[@]evil[.]example',
      'eve@evil': 'eve[@]evil',
      'tel:+1-900-555-0100': "tel[:]+1'-900'-555'-0100",
      '(900) 555-0100': "(900') 555'-0100",
      '900.555.0100': "900'[.]555'[.]0100",
      '21234567890': "2123'4567'890",
      '٩٠٠٥٥٥٠١٠٠': "٩٠٠٥'٥٥٠١'٠٠",
      'javascript:alert(1)': 'javascript[:]alert(1)',
      '\\\\evil\\share': '[\\][\\]evil[\\]share',
      '192.0.2.1:8080': "192'[.]0'[.]2'[.]1'[:]8080",
      'пример.рф': 'пример[.]рф',
      '例え。テスト': '例え[。]テスト',
      'evil．example': 'evil[．]example',
      'eve＠evil․example': 'eve[＠]evil[․]example',
      'ev\u00adil\u2060.\u200bexample': 'evil[.]example',
      'evil\u200c.example': 'evil\u200c[.]example',
    };
    /** Texts that no mail program makes a link of, so they stay as they are. */
    const harmless = [
      ...['spring_sale-2026', 'Robert Downey Jr.', "D'Arcy O. Smith", '24/7: now'],
      ...['می\u200cخواهم', '👩\u200d👧'],
    ];
    const linkTo = (words: string): Changes => ({attribution: {utm_campaign: words}});
    const from = (words: string): Changes => ({
      lead: {...asLead(prequalificationBody), first_name: words, last_name: 'Doe', notes: words},
    });
    const linesOf = ({parsed}: Received) => (parsed.text ?? '').split(/\r?\n/);

    for (const [words, written] of [
      ...Object.entries(linkable),
      ...harmless.map((words) => [words, words] as const),
    ]) {
      test(`mail programs make no link of the words ${JSON.stringify(words)}`, async () => {
        const own = linesOf(await sentOne([eventRequest(linkTo(words))]));
        assert.ok(own.includes(`Campaign, in the words of the link: ${isolated(written)}`), own.join('\n'));
        const email = await sentOne([eventRequest(from(words))], {details: 'contact'});
        const [name = '', ...lines] = linesOf(email);
        assert.ok([`${written} Doe`, `“${written} Doe”`].map(isolated).includes(name), name);
        assert.ok(lines.includes(`> ${isolated(written)}`), lines.join('\n'));
        assert.deepEqual(
          [...(email.parsed.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
          ['tel:+12025550142', 'mailto:jane@example.com'],
        );
      });
    }

    test('words of visitors never become an address or a phone number in an e-mail', () => {
      const words = 'evil www http com 例 5 0100 900 +1 . : @ \\ // - ( ) [ ] ~ x ー 。 ． ‥';
      const hidden = ['\u2024', '\u200b', '\u200d', '\u2060', '\u00ad', '\u3000'];
      const parts = [...words.split(' '), ...hidden, ' ', "'"];
      const hostile = fc
        .array(fc.constantFrom(...parts), {minLength: 1, maxLength: 24})
        .map((some) => some.join(''));
      return fc.assert(
        fc.asyncProperty(hostile, async (words) => {
          const email = await sentOne([eventRequest({...linkTo(words), ...from(words)})], {
            details: 'contact',
          });
          const lines = linesOf(email);
          const [name = ''] = lines;
          assert.equal(email.parsed.subject, `${name}, $862,000, ask before you call (acme)`);
          assert.deepEqual(findPhoneNumbersInText(name, 'US'), []);
          const theirs = lines.filter((line) => /^(> |Campaign, )/.test(line));
          for (const line of [name, ...theirs]) {
            const text = line.replace(/^Campaign, in the words of the link: /, '');
            assert.deepEqual(findPhoneNumbersInText(text, 'US'), [], text);
            const plain = Array.from(text, (character) => character.normalize('NFKC')[0]).join('');
            assert.doesNotMatch(plain, /(?<!\[)[.:@\\。]\S|[.:@\\。][^\s\]]/u, text);
            assert.doesNotMatch(text, /(?![\u200c\u200d])\p{Cf}/u);
          }
        }),
        {numRuns: 300},
      );
    });

    const reply = async (email: string, phone = prequalificationBody.phone) => {
      const lead = leadWith({email, phone});
      return (await sentOne([eventRequest({lead})], {details: 'contact'})).parsed.text ?? '';
    };
    test('the e-mail address of a visitor can be answered if it can be nothing else', async () => {
      for (const email of ['jane.doe+home@mail.example.com', "o'neil-jane@example.com"])
        assert.ok((await reply(email)).includes(`\n${email}\n`));
      const rows = {
        'www.evil.example@example.com': 'www[.]evil[.]example[@]example[.]com',
        'http://evil.example?@example.com': 'http[:]//evil[.]example?[@]example[.]com',
        'jane@exämple.com': 'jane[@]exämple[.]com',
        'evil.example..jane@example.com': 'evil[.]example[.][.]jane[@]example[.]com',
        'evil.example.@example.com': 'evil[.]example[.][@]example[.]com',
        '.evil.example@example.com': '[.]evil[.]example[@]example[.]com',
      };
      for (const [email, written] of Object.entries(rows))
        assert.ok((await reply(email)).includes(`\n${written}\n`), email);
    });
    test('of the number that a visitor typed, the digits alone are shown', async () => {
      const rows = {
        '212.555.0142 ext:7': '+1 212-555-0142 ext. 7',
        'tel:+1–212–555–0142 x7 (work)': '+1 212-555-0142 ext. 7',
        '+44 20 7946 0958': '+442079460958',
        '202-555-0142 x19005550100': "+1 202-555-0142 ext. 1900'5550'100",
      };
      for (const [phone, written] of Object.entries(rows))
        assert.ok((await reply('jane@example.com', phone)).includes(`\nCall ${written}\n`), phone);
    });
    test('a name that may be a line of ours stands in quotation marks', async () => {
      const named = async (first_name: string) =>
        subjectOf([eventRequest({lead: leadWith({first_name})})], {
          details: 'contact',
        });
      assert.equal(await named("D'Arcy O."), "D'Arcy O. Doe, $862,000, ask before you call (acme)");
      assert.equal(
        await named('Ana, $9 (acme)”'),
        "“Ana, $9 (acme)' Doe”, $862,000, ask before you call (acme)",
      );
      assert.equal(await named('Held: a bot'), '“Held: a bot Doe”, $862,000, ask before you call (acme)');
      assert.equal(
        await named('Please call the bank right now'),
        '“Please call the bank right now Doe”, $862,000, ask before you call (acme)',
      );
    });
  });
});

const usualHeaders = [
  ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
  'x-auto-response-suppress',
];
