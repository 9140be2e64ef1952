/** What chat rooms get, and what becomes of their answers. The receivers really listen. */
import assert from 'node:assert/strict';
import {suite, test, type TestContext} from 'node:test';
import fc from '../../../support/properties.ts';
import {chatFormats, type ChatSettings} from '../../../../server/config/destinations.ts';
import {attributionKeys} from '../../../../contract/embed.ts';
import {leadEmail} from '../../../../server/destinations/email/lead-email.ts';
import {remedyOf} from '../../../../server/observe/causes.ts';
import {createChat} from '../../../../server/destinations/chat/chat.ts';
import {bodyOf} from '../../../../server/destinations/chat/formats.ts';
import {failureOf} from '../../../support/delivery-failure.ts';
import {openFor} from '../../../support/opened.ts';
import {asLead, leadWith, prequalificationBody, sampleConsent} from '../../../support/sample-leads.ts';
import {erasedRequest, eventRequest, revokedRequest, sampleId} from '../../../support/sample-events.ts';
import {replyWith, startWebhookReceiver, type ReceiverReply} from '../../../support/webhook-receiver.ts';

const roomSettings = {type: 'chat', format: 'slack', details: 'none', rounding: 1_000} as const;

async function room(t: TestContext, changes: Partial<ChatSettings> = {}, reply?: ReceiverReply) {
  const {settings, received} = await openFor(t, startWebhookReceiver(reply));
  const {url, isInternal, perSecond, parallel} = settings;
  const own = {...roomSettings, url, isInternal, perSecond, parallel};
  const chat = await openFor(t, createChat({...own, ...changes}, 10_000));
  return {chat, received};
}

type Card = {attachments: {content: {body: {type: string; inlines: {type: string; text: string}[]}[]}}[]};
type GoogleCard = {cardsV2: {card: {sections: {widgets: {textParagraph: {text: string}}[]}[]}}[]};

const unescape = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** What people read in the room. Fails if a body has another sort of text than these. */
const readers: Record<ChatSettings['format'], (body: never) => string> = {
  slack({text, ...rest}: {text: string}) {
    assert.deepEqual(rest, {mrkdwn: false, unfurl_links: false, unfurl_media: false});
    assert.doesNotMatch(text, /[<>]|&(?!amp;|lt;|gt;)/);
    return unescape(text);
  },
  teams(body: Card) {
    const blocks = body.attachments.flatMap(({content}) => content.body);
    assert.ok(blocks.every(({type}) => type === 'RichTextBlock'));
    const runs = blocks.flatMap(({inlines}) => inlines);
    assert.ok(runs.every(({type, text}) => type === 'TextRun' && !text.includes('{{')));
    assert.ok(!JSON.stringify(body).includes('"entities"'));
    return runs.map(({text}) => (text === ' ' ? '' : text)).join('\n');
  },
  'google-chat'({cardsV2, ...rest}: GoogleCard) {
    assert.deepEqual(rest, {});
    const [{card} = assert.fail()] = cardsV2;
    const text = card.sections[0]?.widgets[0]?.textParagraph.text ?? assert.fail();
    assert.doesNotMatch(text.replaceAll('<br>', ''), /[<>]|&(?!amp;|lt;|gt;)/);
    return unescape(text.replaceAll('<br>', '\n'));
  },
};
const read = (format: ChatSettings['format'], body: string) => readers[format](JSON.parse(body) as never);

for (const format of chatFormats) {
  suite(`a message to ${format}`, () => {
    test(`a new lead is told to ${format} without personal data`, async (t) => {
      const {chat, received} = await room(t, {format});
      await chat.deliver(eventRequest());
      const [{body, method, path, headers} = assert.fail()] = received;
      assert.deepEqual([method, path], ['POST', '/hook?token=abc']);
      assert.equal(headers['content-type'], 'application/json');
      const text = read(format, body);
      assert.match(text, /^New lead K7QM-2XHD from acme: \$[\d,]+\n\n\$[^]+\n\nReference: K7QM-2XHD\n/);
      for (const field of ['first_name', 'last_name', 'email', 'phone'] as const)
        assert.ok(!text.includes(prequalificationBody[field]), field);
    });

    test(`an erased lead is told to ${format} in one plain message, without a command`, async (t) => {
      const {chat, received} = await room(t, {format, details: 'contact'});
      await chat.deliver(erasedRequest());
      assert.deepEqual(read(format, received[0]?.body ?? '').split('\n'), [
        'Lead K7QM-2XHD from acme was erased: delete what you have of it',
        '',
        'This lead was erased. Delete all that you have of it, also earlier messages about it.',
        '',
        'Reference: K7QM-2XHD',
        'From: acme',
        'Received: Fri 2026-11-20 17:45 UTC',
        'Erased: Fri 2026-11-27 17:45 UTC',
      ]);
    });

    test(`a stop is told to ${format} without a name, also with details: contact`, async (t) => {
      const {chat, received} = await room(t, {format, details: 'contact'});
      await chat.deliver(revokedRequest());
      const text = read(format, received[0]?.body ?? '');
      assert.match(text, /^Lead K7QM-2XHD from acme: stop calls and messages\n/);
      assert.doesNotMatch(text, /Silva|0142|ana@/);
    });

    test(`a message to ${format} begins with name and number with details: contact`, async (t) => {
      const {chat, received} = await room(t, {format, details: 'contact'});
      await chat.deliver(eventRequest());
      const [first, ...lines] = read(format, received[0]?.body ?? '').split('\n');
      assert.equal(first, 'Jane Doe, +1 202-555-0142, ask before you call');
      assert.doesNotMatch(lines.join('\n'), /Jane|555/);
      assert.ok(lines.includes('jane@example.com'), lines.join('\n'));
    });

    test(`answers to a partner's questions are told to ${format} with details: contact alone`, async (t) => {
      const answer = {name: 'revenue', label: 'Monthly revenue', value: 'high', text: 'Over $50,000'};
      const lead = {...asLead(prequalificationBody), answers: [answer]};
      for (const details of ['none', 'link', 'contact'] as const) {
        const {chat, received} = await room(t, {format, details});
        await chat.deliver(eventRequest({lead}));
        const isTold = read(format, received[0]?.body ?? '').includes('Monthly revenue: Over $50,000');
        assert.equal(isTold, details === 'contact', details);
      }
    });

    test(`words of visitors make no link, mention or markup in ${format}`, () => {
      const bait = fc.constantFrom(
        ...['<!channel>', '<!here>', '<@U1>', '<users/all>', '<https://evil.example|us>', '@all', '@channel'],
        ...[
          '<at>all</at>',
          '[us](https://evil.example)',
          '*',
          '_',
          '~',
          '`',
          '```',
          '&lt;!channel&gt;',
          '&amp;',
        ],
        ...['<b>', '<a href="https://evil.example">us</a>', '{{DATE(2026-01-01T00:00:00Z)}}', '{{{', '<br>'],
      );
      const hostile = fc
        .array(fc.oneof(bait, fc.string({unit: 'grapheme', maxLength: 9})))
        .map((parts) => parts.join(''));
      fc.assert(
        fc.property(hostile, hostile, (subject, text) => {
          const lines = text.replaceAll(/\s/g, ' ');
          const seen = read(format, JSON.stringify(bodyOf[format]({subject, text: `${lines}.`})));
          const plain = (text: string) => text.replaceAll(/\{ ?(?=\{)/g, '{').replaceAll(/\s/g, '');
          // What people read is what was written, sign for sign, so nothing of it became markup.
          assert.equal(plain(seen), plain(`${subject}${lines}.`));
        }),
      );
    });

    test(`addresses in a visitor's name are no links in ${format}`, async (t) => {
      const {chat, received} = await room(t, {format, details: 'contact'});
      const lead = leadWith({first_name: '<!channel> https://evil.example'});
      await chat.deliver(eventRequest({lead}));
      const text = read(format, received[0]?.body ?? '');
      assert.ok(text.includes('<!channel> https[:]//evil[.]example'), text);
    });

    test(`a test of ${format} posts a message and says what came back`, async (t) => {
      const {chat, received} = await room(t, {format}, replyWith(202));
      const {note} = (await chat.test()) as {note?: string};
      assert.equal(note, 'The chat room answered 202');
      assert.match(read(format, received[0]?.body ?? ''), /^A test/);
    });
  });
}

test('a room that had the lead is not told of its repeat', async (t) => {
  const {chat, received} = await room(t);
  await assert.rejects(chat.deliver(eventRequest({duplicateOf: sampleId})), {state: 'skipped'});
  assert.equal(received.length, 0);
});

/** What the services answer. Slack: https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks */
const answers = [
  ['slack', 400, 'invalid_payload', /"format" is that of another service/, /Correct "format"/],
  ['slack', 403, 'invalid_token', /URL is not complete or no longer valid/, /with each & as it is/],
  ['slack', 403, 'action_prohibited', /the service forbids posts/, /ask those who run the service/],
  ['slack', 404, 'no_service', /the webhook or its room was removed/, /Make a new webhook/],
  ['slack', 404, 'channel_not_found', /the webhook or its room was removed/, /Make a new webhook/],
  ['slack', 410, 'channel_is_archived', /the room is archived/, /destinations resume/],
  ['slack', 302, '', /not that of an incoming webhook/, /Copy the URL/],
  ['teams', 401, '{"error":{"code":"DirectApiAuthorizationRequired"}}', /not complete/, /Copy the URL/],
  ['teams', 404, '{"error":{"code":"WorkflowNotFound"}}', /was removed/, /Make a new webhook/],
  ['google-chat', 400, '{"error":{"message":"API key not valid."}}', /URL is not complete/, /Copy the URL/],
  ['google-chat', 403, '{"error":{"status":"PERMISSION_DENIED"}}', /URL is not complete/, /Copy the URL/],
  ['google-chat', 429, '{"error":{"status":"RESOURCE_EXHAUSTED"}}', /fewer messages/, /Lower per_second/],
  ['google-chat', 500, '', /its service failed/, /Wait/],
] as const;
for (const [format, status, said, cause, remedy] of answers) {
  test(`the answer ${status} ${said} of ${format} has a cause and a remedy for chat rooms`, async (t) => {
    const {chat} = await room(t, {format}, (response) => void response.writeHead(status).end(said));
    const error = await failureOf(chat.test());
    assert.match(error.message, new RegExp(`^The chat room answered ${status} `));
    assert.match(error.message, cause);
    assert.match(remedyOf(error.message) ?? '', remedy);
    assert.equal(error.excerpt ?? '', said);
  });
}

test('a connector of Teams that answers 200 and says that it failed has not got the message', async (t) => {
  const said =
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0';
  const {chat} = await room(t, {format: 'teams'}, (response) => void response.end(said));
  const error = await failureOf(chat.deliver(eventRequest()));
  assert.match(
    error.message,
    /^The chat room answered 429 \(Too Many Requests\): it asks for fewer messages/,
  );
});

test('a message as long as messages get is within the limits of each service', () => {
  const text = longestEmail();
  // Bytes that Teams and Google Chat take, and characters of Slack.
  const limits = {teams: 28 * 1_024, 'google-chat': 32_000, slack: 40_000};
  for (const format of chatFormats) {
    const {length} = Buffer.from(JSON.stringify(bodyOf[format](text)));
    assert.ok(length < limits[format], `${format}: ${length}`);
  }
});

/** Each text that a visitor or a link brings is as long as it may be, of signs that escaping makes longest. */
function longestEmail() {
  const long = (count: number) => '&'.repeat(count);
  const lead = asLead({
    ...prequalificationBody,
    first_name: long(80),
    last_name: long(80),
    email: `${'a'.repeat(64)}@${'a'.repeat(60)}.${'b'.repeat(60)}.example`,
    notes: long(2_000),
  });
  const attribution = Object.fromEntries(attributionKeys.map((key) => [key, long(500)]));
  const request = eventRequest({lead, attribution, suspect: 'trap', consent: sampleConsent});
  return leadEmail(request, {...roomSettings, details: 'contact'});
}

test('what a chat room says is shown without the parts of its address, which is a secret', async (t) => {
  const {settings} = await openFor(
    t,
    startWebhookReceiver(
      (response, {path}) => void response.writeHead(404).end(`No workflow at ${path}, sorry`),
    ),
  );
  const path = '/workflows/canary-path/paths/invoke?api-version=1&sig=canary%2Fsignature';
  const {chat} = await room(t, {url: new URL(path, settings.url).href});
  const error = await failureOf(chat.test());
  assert.match(
    error.excerpt ?? '',
    /^No workflow at \/workflows\/…\/paths\/invoke\?api-version=1&sig=…, sorry$/,
  );
});

const replies = [
  [429, {fault: 'failed', retryAfter: 7_000, isGone: false}],
  [404, {fault: 'misconfigured', retryAfter: 7_000, isGone: false}],
  [410, {fault: 'misconfigured', retryAfter: 7_000, isGone: true}],
] as const;
for (const [status, expected] of replies) {
  test(`a chat room that answers ${status} is treated as a webhook that does, and its URL is not named`, async (t) => {
    const {chat} = await room(t, {}, replyWith(status, {'retry-after': '7'}));
    const error = await failureOf(chat.deliver(eventRequest()));
    assert.partialDeepStrictEqual({...error}, expected);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|http:|abc/);
  });
}
