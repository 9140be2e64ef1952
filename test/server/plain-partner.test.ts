/**
 * A partners file without the choices that came with 1.5.0 (hidden fields, a link below the result, confirmations, events
 * by choice) behaves as before. The server of the release 1.4.0 was asked the same, and plain-partner.json has what it said,
 * byte for byte. What differs from run to run, or with each release of the form, is replaced. Apply pages are not compared,
 * because since 1.5.0 they have the form in the page itself, for all partners, and neither are snippets, which since 1.6.0
 * have the colour of the partner, and their rules in one line, nor e-mails, which since 1.7.0 begin with whom to call. `leads
 * show` is for people since 1.7.0, so the recording has the facts that it showed as its `--json` says them.
 */
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, suite, test} from 'node:test';
import {defaultPolicy} from '../../calculator/policy.ts';
import {referenceOf} from '../../contract/reference.ts';
import {sendLead} from '../support/embed-client.ts';
import {fetchFrom} from '../support/http.ts';
import {startMailServer} from '../support/mail-server.ts';
import {openFor, suiteOwner} from '../support/opened.ts';
import {runCommand} from '../support/operator.ts';
import {prequalificationBody, without} from '../support/sample-leads.ts';
import {serviceSettings, startService} from '../support/service-process.ts';
import {temporaryFolder} from '../support/temporary-folder.ts';
import {listedOrigin} from '../support/test-server.ts';
import {until} from '../support/until.ts';
import {startWebhookReceiver} from '../support/webhook-receiver.ts';

const recorded = join(import.meta.dirname, 'plain-partner.json');

const partner = {
  key: 'acme',
  name: 'Acme Funding',
  privacy_href: 'https://www.acme.example/privacy',
  contact: {phone: '(415) 555-0132', email: 'hello@acme.example'},
  origins: [listedOrigin],
  cid: '1001',
  send_to: ['crm', 'mail'],
  consent: {
    required: true,
    texts: {
      en: {text: 'With {button}, I agree to the [Terms](https://www.acme.example/terms).', version: '1'},
      es: {text: 'Con {button}, acepto los [Términos](https://www.acme.example/es).', version: '1'},
    },
  },
  colors: {accent: '#0b7a5a'},
  next_step: {en: 'We call you at {phone}.', es: 'Le llamamos al {phone}.'},
};

/** Everything that partners, visitors, receivers and operators get, by what it is. */
async function everything(owner: {after(work: () => unknown): void}): Promise<Record<string, string>> {
  const folder = temporaryFolder(owner);
  const [crm, mail] = [await openFor(owner, startWebhookReceiver()), await openFor(owner, startMailServer())];
  const file = join(folder, 'partners.json');
  const destinations = {
    crm: {type: 'webhook', url: crm.settings.url, credentials: 'CRM'},
    mail: {type: 'email', to: ['sales@example.com'], details: 'contact'},
  };
  writeFileSync(file, JSON.stringify({destinations, partners: [partner]}));
  const own = without(without(serviceSettings(folder), 'EMBED_ORIGINS'), 'EMBED_PARTNER');
  const settings = {
    ...own,
    PUBLIC_URL: 'https://leads.example.com',
    PARTNERS_FILE: file,
    CREDENTIALS_CRM_SECRET: crm.secret,
    WEBHOOK_INTERNAL_HOSTS: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    SMTP_FROM: 'Leads <leads@example.com>',
    POLICY_FILE: join(folder, 'policy.json'),
  };
  const policy = {...defaultPolicy, version: '2026-11', portfolio_loan: {percent_of_investments: 60}};
  writeFileSync(settings.POLICY_FILE, JSON.stringify(policy));
  const service = await startService(settings, folder);
  owner.after(() => service.end('SIGTERM'));
  const fetch = fetchFrom(service.url);
  const seen: Record<string, string> = {};
  const page = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(path, {headers});
    const policy = response.headers.get('content-security-policy');
    return `${response.status}\n${policy ?? ''}\n${await response.text()}`;
  };
  for (const lang of ['en', 'es']) {
    const origin = {origin: listedOrigin};
    seen[`configuration ${lang}`] = await page(`/embed/v1/config?partner=acme&lang=${lang}`, origin);
  }
  seen['configuration of a form before 1.4.0'] = await page('/embed/v1/config?partner=acme', {
    origin: listedOrigin,
  });

  const {consent} = JSON.parse((seen['configuration en'] ?? '').split('\n').at(-1) ?? '') as {
    consent: {version: string};
  };
  const response = await sendLead(
    {fetch},
    {...without(prequalificationBody, 'cid'), cash: 50_000, investments: 20_001},
    {
      body: {
        consent: {version: consent.version, agreed: true},
        attribution: {utm_source: 'news', gclid: 'abc'},
        context: {brand: 'north'},
      },
    },
  );
  const answer = await response.text();
  const {id, token} = JSON.parse(answer) as {id: string; token: string};
  seen['answer'] = `${response.status}\n${answer}`;
  await until(() => crm.received.length > 0 && mail.received.length > 0);
  seen['event'] = crm.received.map(({method, path, body}) => `${method} ${path}\n${body}`).join('\n');

  const command = async (...words: string[]) => {
    const {code, stdout, stderr} = await runCommand(settings, ...words);
    return `${code}\n${stdout}\n${stderr}`;
  };
  await until(async () => !(await command('deliveries', 'list', '--json')).includes('waiting'));
  for (const format of ['csv', 'jsonl']) {
    const exported = join(folder, `leads.${format}`);
    const said = await command('leads', 'export', exported, '--format', format);
    seen[`export as ${format}`] = `${said}\n${readFileSync(exported, 'utf8')}`;
  }
  seen['lead in the command'] = await command('leads', 'show', id, '--json');
  seen['deliveries in the command'] = await command('deliveries', 'list', '--id', id);

  const changing: [string | RegExp, string][] = [
    [id, '<id>'],
    [token, '<token>'],
    [referenceOf(id), '<reference>'],
    [folder, '<folder>'],
    [/127\.0\.0\.1:\d+/g, '<receiver>'],
    [/(\b[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)?/g, '<time>'],
    [/<[^<>@\s]+@example\.com>/g, '<address>'],
  ];
  return Object.fromEntries(
    Object.entries(seen).map(([name, text]) => [
      name,
      changing.reduce((rest, [from, to]) => rest.replaceAll(from instanceof RegExp ? from : from, to), text),
    ]),
  );
}

/**
 * Since 1.6.0, each export says so, and the configuration says how visitors reach the partner. Since 1.7.0, events and what
 * programs read have the time zones of the visitor, and deliveries the place to which they went, which makes a column wider.
 * Since 1.8.0, a lead says who stopped it, who was told, and whether it may be called.
 */
const added =
  /.* holds personal data in clear, .*\n|"name":"Acme Funding","contact":\[.*?\],|"time_zones":\[.*?\],|"taken_back":null,"stops":\[\],"told":\[\],|"may_call":\{.*?\},|^time_zones.*\n|,"revoke_link":"[^"]*"|"place":".*?",| \((?:<receiver>|sales@example\.com)\)/gm;
const comparable = (text: string) => text.replaceAll(added, '').replace(/ {2,}/g, '  ');

suite('a partners file without the choices of 1.5.0', () => {
  const owner = suiteOwner();
  const before140 = JSON.parse(readFileSync(recorded, 'utf8')) as Record<string, string>;
  let now: Record<string, string> = {};
  before(async () => {
    now = await everything(owner);
  });

  test('the same things are compared that the server of 1.4.0 was asked for', () => {
    assert.deepEqual(Object.keys(now), Object.keys(before140));
  });
  for (const [name, text] of Object.entries(before140))
    test(`it is what it was in 1.4.0, byte for byte: ${name}`, () => {
      assert.equal(comparable(now[name] ?? ''), comparable(text));
    });
});
