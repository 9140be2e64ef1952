import {paths} from '../../../contract/api.ts';
import {expect, fixture, html, oneEvent} from '@open-wc/testing';
import type {ProblemCode} from '../../../contract/problems.ts';
import {keepDraft} from '../../support/browser/drafts.ts';
import {config, created, endpoint, json, problem, useServer} from '../../support/browser/fake-server.ts';
import {hearConsole, restorePage, stub} from '../../support/browser/browser-page.ts';
import {until} from '../../support/until.ts';
import {
  announced,
  button,
  click,
  description,
  errors,
  field,
  fill,
  fillAll,
  fillContact,
  fillFunds,
  focused,
  heading,
  listen,
  maybeButton,
  open,
  openFilled,
  openSent,
  send,
  shows,
  text,
  touch,
} from '../../support/browser/visitor.ts';

describe('sending', () => {
  const server = useServer();
  const logged = hearConsole();

  it('a lead is sent with the answers, without cookies and without a cid', async () => {
    await openSent();
    expect(server.leads).to.have.length(1);
    const {url, init, key, body} = server.leads[0]!;
    expect(url.href).to.equal('https://leads.example.com/embed/v1/leads?partner=acme');
    expect(body.lead).to.deep.equal({
      lead_type: 'prequalification',
      first_name: 'Maria',
      last_name: 'Ortiz',
      email: 'maria@example.com',
      phone: '(415) 555-0132',
      credit_score: 'Above 720',
      retirement: 120_000,
      cash: 50_000,
      investments: 0,
    });
    expect(Object.keys(body)).to.have.members(['lead', 'attribution', 'elapsed_ms', 'page', 'lang']);
    expect(body.page).to.equal(location.origin + location.pathname);
    expect(body.lang).to.equal('en-US');
    expect(body.elapsed_ms).to.be.a('number').and.not.to.be.lessThan(0);
    expect(key).to.match(/^.{16,128}$/);
    expect(init.credentials).to.equal('omit');
    expect(init.redirect).to.equal('error');
    expect(init.referrerPolicy).to.equal('no-referrer');
  });

  it('a standard lead is sent with contact details alone', async () => {
    server.reply(() => created({prequalification: null, reasons: {}}));
    const form = await open({'lead-type': 'standard'});
    await fillContact(form);
    await send(form, 'Send');
    expect(Object.keys(server.leads[0]!.body.lead)).to.have.members([
      'lead_type',
      'first_name',
      'last_name',
      'email',
      'phone',
    ]);
    expect(heading(form)).to.equal('Thank you, Maria');
  });

  it("the partner's key is escaped in the URL, and the endpoint may end in a slash", async () => {
    await openSent({partner: 'a&b c', endpoint: 'https://leads.example.com/'});
    expect(server.leads[0]!.url.href).to.equal('https://leads.example.com/embed/v1/leads?partner=a%26b%20c');
  });

  it('a form whose endpoint a framework sets to nothing asks the server of its script', async () => {
    for (const nothing of [undefined, '']) {
      const asked: string[] = [];
      const form = await open();
      form.endpoint = nothing as string;
      stub(window, 'fetch', {
        value(url: string) {
          asked.push(url);
          return Promise.reject(new TypeError('no network'));
        },
      });
      await touch(form);
      // The form of the round before may still be finding out why it got no answer.
      await until(() =>
        asked.some((url) => url.startsWith(`${location.origin}/embed/v1/config?partner=acme&`)),
      );
      restorePage();
    }
  });

  it('a lead is sent once, however often the button is pressed', async () => {
    const release = server.delayReply();
    const form = await openFilled();
    const done = oneEvent(form, 'prequal-result');
    const main = button(form, 'See my estimate');
    main.click();
    main.click();
    void form.submit();
    await form.updateComplete;
    expect(main.textContent).to.contain('Sending…');
    expect(main.getAttribute('aria-disabled')).to.equal('true');
    expect(announced(form)).to.equal('Sending…');
    main.click();
    expect(maybeButton(form, 'Back')).to.equal(undefined);
    release();
    await done;
    expect(server.leads).to.have.length(1);
  });

  it('a configuration that is refused is not asked for again until the visitor sends', async () => {
    server.config = () => problem(403, 'origin-not-allowed');
    const form = await openFilled({layout: 'single'});
    expect(server.configRequests).to.equal(1);
    await send(form);
    expect(server.configRequests).to.equal(2);
  });

  it('reset() requests nothing before the first touch', async () => {
    const requested: string[] = [];
    const fetch = window.fetch.bind(window);
    window.fetch = (input, init) => {
      requested.push(String(input instanceof Request ? input.url : input));
      return fetch(input, init);
    };
    keepDraft({first_name: 'Maria'});
    const form = await open({draft: ''});
    form.reset();
    await form.updateComplete;
    window.fetch = fetch;
    // The advice after a failure in an earlier test may still ask for this.
    expect(requested.filter((url) => !url.endsWith(paths.embedVersions))).to.deep.equal([]);
  });

  it('submit() checks all fields before it sends', async () => {
    const form = await open();
    await form.submit();
    await form.updateComplete;
    expect(errors(form)).to.deep.equal(['Choose your credit score. A guess is fine.']);
    expect(server.leads).to.have.length(0);
  });

  it('submit() waits for a form that is not on the page yet, and reset() does nothing there', async () => {
    const form = document.createElement('lead-prequal-form');
    form.reset();
    const submitted = form.submit();
    await fixture(html`<main>${form}</main>`);
    await submitted;
    await form.updateComplete;
    expect(errors(form)).to.deep.equal(['Choose your credit score. A guess is fine.']);
  });

  describe('a lead that cannot be sent', () => {
    const failures = [
      ['network', () => Promise.reject(new TypeError('Failed to fetch')), 'We could not send your answers'],
      ['internal', () => problem(500, 'internal'), 'Something went wrong on our side'],
      ['store-unavailable', () => problem(503, 'store-unavailable'), 'Something went wrong on our side'],
      [
        'idempotency-key-in-progress',
        () => problem(409, 'idempotency-key-in-progress'),
        'still working on it',
      ],
      ['too-many-requests', () => problem(429, 'too-many-requests'), 'Please try again in a moment'],
      ['bad-answer', () => new Response('<h1>Bad gateway</h1>', {status: 502}), 'Something went wrong'],
      ['bad-answer', () => new Response('<h1>Captive portal</h1>'), 'Something went wrong'],
      ['bad-answer', () => json(200, {hello: 'there'}), 'Something went wrong'],
    ] as const;

    for (const [code, reply, message] of failures) {
      it(`keeps its answers and its key, and the form says "${message}": ${code}`, async () => {
        server.reply(reply, () => created());
        const form = await openFilled();
        const {type, detail} = await send(form);
        expect(type).to.equal('prequal-error');
        expect(detail).to.deep.equal({code, retryable: true});
        expect(focused(form)?.textContent).to.contain(message);
        expect(field(form, 'Email').value).to.equal('maria@example.com');

        await send(form, 'Try again');
        expect(text(form)).to.contain('$830,000');
        expect(server.leads.map(({key}) => key)).to.deep.equal([server.leads[0]!.key, server.leads[0]!.key]);
      });
    }

    it('a failure says how long to wait if the server sends Retry-After', async () => {
      server.reply(() => problem(429, 'too-many-requests', {headers: {'Retry-After': '90'}}));
      const form = await openSent();
      expect(text(form)).to.contain('Please try again in 2 minutes.');
    });

    it('a lead whose key was used for another lead is sent again under a new key', async () => {
      server.reply(
        () => problem(422, 'idempotency-key-reused'),
        () => created(),
      );
      const form = await openFilled();
      expect((await send(form)).type).to.equal('prequal-result');
      expect(server.leads).to.have.length(2);
      expect(server.leads[0]!.key).not.to.equal(server.leads[1]!.key);
    });

    it('the leads of two partners have different keys', async () => {
      server.reply(() => problem(503, 'store-unavailable'));
      for (const partner of ['acme', 'globex']) await openSent({partner});
      expect(server.leads[0]!.key).not.to.equal(server.leads[1]!.key);
    });

    it('a lead is sent only twice if the server answers that every key was used before', async () => {
      server.reply(() => problem(422, 'idempotency-key-reused'));
      const form = await openFilled();
      expect((await send(form)).type).to.equal('prequal-error');
      expect(server.leads).to.have.length(2);
    });

    it('the message of a failure disappears when the visitor goes back', async () => {
      server.reply(() => problem(500, 'internal'));
      const form = await openSent();
      await click(form, 'Back');
      expect(text(form)).not.to.contain('Something went wrong');
      await click(form, 'Next');
      expect(field(form, 'Email').value).to.equal('maria@example.com');
      button(form, 'See my estimate');
    });
  });

  it('the first field that the server refuses is shown with its error', async () => {
    server.reply(() =>
      problem(422, 'invalid-lead', {
        errors: [
          {field: 'cash', code: 'too_large', message: 'must be less'},
          {field: 'phone', code: 'invalid', message: 'must be a number'},
        ],
      }),
    );
    const form = await openFilled({order: 'contact-first'});
    const {detail} = await send(form);
    expect(detail).to.deep.equal({code: 'invalid-lead', retryable: false});
    expect(heading(form)).to.equal('Step 1 of 3 About you');
    expect(errors(form)).to.deep.equal([
      'Enter a US number like (415) 555\u20110132, or begin with + and the country code.',
    ]);
    expect(focused(form)).to.equal(field(form, 'Phone'));
    expect(description(form, field(form, 'Phone'))).to.contain('Enter a US number');
    expect(field(form, 'First name').value).to.equal('Maria');
  });

  it('a refusal that belongs to no field says that something went wrong', async () => {
    server.reply(() =>
      problem(422, 'invalid-lead', {errors: [{field: 'lead_type', code: 'invalid', message: ''}]}),
    );
    const form = await openFilled();
    expect((await send(form)).detail).to.deep.equal({code: 'invalid-lead', retryable: false});
    expect(text(form)).to.contain('Something went wrong');
  });

  for (const name of ['constructor', 'toString', '__proto__']) {
    it(`the problem "${name}" from a server is treated like any unknown one`, async () => {
      server.reply(() => problem(403, name as ProblemCode));
      const form = await openFilled();
      expect((await send(form)).detail).to.deep.equal({code: name, retryable: false});
      expect(text(form)).to.contain('This page cannot send your answers yet');

      server.reply(() => problem(500, name as ProblemCode));
      await send(form);
      expect(text(form)).to.contain('Something went wrong');

      server.reply(() =>
        problem(422, 'invalid-lead', {errors: [{field: name, code: 'invalid', message: ''}]}),
      );
      await send(form, 'Try again');
      expect(text(form), 'as the name of a field').to.contain('Something went wrong');

      server.reply(() => problem(422, 'invalid-lead', {errors: [{field: 'cash', code: name, message: ''}]}));
      await send(form);
      expect(errors(form), 'as what is wrong with a field').to.deep.equal([
        'Cash: enter one amount in US dollars, like 50,000.',
      ]);
      // A form of an earlier test may still find out why its server did not answer.
      expect(logged.filter((sentence) => sentence.includes(endpoint))).to.deep.equal([]);
    });
  }

  for (const [code, fix] of [
    ['unknown-partner', 'Correct the "partner" attribute'],
    ['origin-not-allowed', `Add ${location.origin} to the origins of "initech"`],
    ['lead-type-not-allowed', 'Set the "lead-type" attribute'],
  ] as const) {
    it(`the visitor sees that the page cannot send, and the console explains ${code}`, async () => {
      server.reply(() => problem(403, code));
      // The console says each sentence once, and an earlier test may have caused it for the usual partner.
      const form = await openFilled({partner: 'initech'});
      expect((await send(form)).detail).to.deep.equal({code, retryable: false});
      expect(text(form)).to.contain('This page cannot send your answers');
      await until(() => logged.join().includes(fix));
      const log = logged.join();
      for (const part of ['https://leads.example.com', '"initech"', location.origin, code, fix]) {
        expect(log).to.contain(part);
      }
      for (const typed of ['Maria', 'Ortiz', 'example.com,', '120']) expect(log).not.to.contain(typed);
    });
  }

  it('a page whose configuration is refused sends no lead until it is listed', async () => {
    server.config = () => problem(403, 'origin-not-allowed');
    const form = await openFilled({layout: 'single'});
    expect((await send(form)).detail).to.deep.equal({code: 'origin-not-allowed', retryable: false});
    expect(text(form)).to.contain('This page cannot send your answers').and.not.to.contain('connection');
    expect(maybeButton(form, 'Try again')).to.equal(undefined);
    expect(server.leads).to.have.length(0);
    server.config = () => config();
    const sent = oneEvent(form, 'prequal-result');
    await form.submit();
    await sent;
  });

  it('the console explains at the first touch that the page may not send', async () => {
    server.config = () => problem(403, 'unknown-partner');
    const form = await open({partner: 'globex'});
    await touch(form);
    await until(() => logged.join().includes('unknown-partner'));
    expect(text(form)).not.to.contain('cannot send');
  });

  it('a lead is sent although the configuration cannot be loaded', async () => {
    server.config = () => Promise.reject(new TypeError('Failed to fetch'));
    const form = await openFilled();
    expect((await send(form)).type).to.equal('prequal-result');
  });

  it('reset() cancels a lead that is being sent', async () => {
    const release = server.delayReply();
    const form = await openFilled();
    const events = listen(form);
    button(form, 'See my estimate').click();
    await until(() => server.leads.length === 1);
    form.reset();
    await form.updateComplete;
    expect(server.leads[0]!.init.signal?.aborted).to.be.true;
    release();
    await fillAll(form);
    expect(events.filter(({type}) => ['prequal-result', 'prequal-error'].includes(type))).to.deep.equal([]);
    expect(heading(form)).to.equal('Step 3 of 3 About you');
  });

  it('a lead is sent although the form is removed from the page meanwhile', async () => {
    const release = server.delayReply();
    const form = await openFilled();
    const done = oneEvent(form, 'prequal-result');
    button(form, 'See my estimate').click();
    const parent = form.parentElement!;
    form.remove();
    release();
    await done;
    parent.append(form);
    await shows(form, '$830,000');
  });

  it('a lead is sent from the single layout as from the steps', async () => {
    const form = await open({layout: 'single'});
    await fillContact(form);
    field(form, '620 to 679 Fair').click();
    field(form, 'No').click();
    await fillFunds(form);
    fill(form, 'Investments', '50k');
    await send(form);
    expect(server.leads[0]!.body.lead).to.include({
      credit_score: '620 - 679',
      bankruptcy: false,
      investments: 50_000,
    });
  });

  it('there is no button to send once there is an answer', async () => {
    const form = await openSent();
    expect(maybeButton(form, 'See my estimate')).to.equal(undefined);
    await form.submit();
    expect(server.leads).to.have.length(1);
  });
});
