/** Tests a form after a reload of its page: a new element, which finds what the last one kept in `sessionStorage`. */
import {expect} from '@open-wc/testing';
import {answer, config, created, json, problem, useServer} from '../../support/browser/fake-server.ts';
import {forbidStorage, stub} from '../../support/browser/browser-page.ts';
import {until} from '../../support/until.ts';
import {
  click,
  field,
  fill,
  fillAll,
  focused,
  goOn,
  heading,
  listen,
  maybeButton,
  open,
  openFilled,
  openSent,
  send,
  shows,
  startOver,
  text,
} from '../../support/browser/visitor.ts';

const withoutAmounts = {prequalification: null, reasons: {}};

describe('after a reload', () => {
  const server = useServer();

  const sentOnce = async () => {
    const form = await openSent();
    form.remove();
  };
  const {id, token} = answer();

  it('the result is shown again without taking the focus, and without a second event', async () => {
    await sentOnce();
    const events = listen();
    const form = await open();
    await shows(form, 'Maria, you may qualify for up to $830,000');
    expect(server.readings.map(({url, token: sent}) => [url.pathname, sent])).to.deep.equal([
      [`/embed/v1/leads/${id}`, `Bearer ${token}`],
    ]);
    expect(focused(form)).to.equal(null);
    expect(events.map(({type}) => type)).not.to.include('prequal-result');
  });

  it('the result has the colour and the next step of the partner, without the phone number', async () => {
    server.config = () => config({colors: {accent: '#123456'}, next_step: {en: 'Maria calls {phone}.'}});
    await sentOnce();
    const form = await open();
    await shows(form, '$830,000');
    expect(text(form)).to.contain('Maria calls the number you gave.');
    const styles = form.shadowRoot?.adoptedStyleSheets ?? [];
    expect(styles.some(({cssRules}) => cssRules[0]?.cssText.includes('#123456'))).to.be.true;
  });

  it('the session storage holds the token of a lead, and nothing that was typed', async () => {
    await sentOnce();
    const kept = JSON.stringify(Object.entries(sessionStorage));
    expect(kept).to.contain(token);
    for (const typed of ['Maria', 'Ortiz', 'maria@', '0132', '120', '830']) {
      expect(kept).not.to.contain(typed);
    }
  });

  for (const [status, words] of [
    ['pending', 'We have your answers Your amounts take longer'],
    ['refused', 'We could not prepare an estimate'],
    ['done', 'Thank you We have your details'],
  ] as const) {
    it(`a lead without amounts (${status}) is shown again, without the visitor's name`, async () => {
      await sentOnce();
      server.result = () => json(200, answer({...withoutAmounts, status}));
      await shows(await open(), words);
    });
  }

  it('the answers can be entered again, and the new lead names the one that it replaces', async () => {
    await sentOnce();
    const form = await open();
    await shows(form, 'this page forgets what you typed');
    expect(maybeButton(form, 'Change my answers')).to.equal(undefined);
    await click(form, 'Enter my answers again');
    expect(heading(form)).to.contain('Step 1 of 3');
    expect(field(form, 'Above 720 Excellent').checked).to.equal(false);
    await fillAll(form);
    await send(form);
    expect(server.leads[1]!.body.supersedes).to.deep.equal({id, token});
    expect(server.leads[1]!.key).not.to.equal(server.leads[0]!.key);
  });

  it('a result that the visitor left with Start over is not shown after a reload', async () => {
    await sentOnce();
    const form = await open();
    await shows(form, '$830,000');
    await startOver(form);
    form.remove();
    await openSent();
    expect(server.readings).to.have.length(1);
    expect(server.leads[1]!.body).not.to.have.property('supersedes');
  });

  it('the form is shown if the server no longer knows the lead', async () => {
    await sentOnce();
    server.result = () => problem(404, 'not-found');
    const form = await open();
    await until(() => !Object.keys(sessionStorage).some((name) => name.startsWith('lead-prequal:')));
    expect(server.readings).to.have.length(1);
    await fillAll(form);
    await send(form);
    expect(server.leads[1]!.body).not.to.have.property('supersedes');
  });

  it('the form stays if the result cannot be loaded, and the next reload tries again', async () => {
    await sentOnce();
    server.result = () => Promise.reject(new TypeError('Failed to fetch'));
    const form = await open();
    await until(() => server.readings.length === 1);
    expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
    form.remove();
    server.result = () => json(200, answer());
    await shows(await open(), '$830,000');
  });

  it('a result is not shown in the form of another partner or of another lead type', async () => {
    await sentOnce();
    await open({partner: 'globex'});
    await open({'lead-type': 'standard'});
    expect(server.readings).to.have.length(0);
  });

  it('a form of another server, with the same partner, gets no token of the result', async () => {
    await sentOnce();
    const asked: string[] = [];
    stub(window, 'fetch', {
      value(url: string, {headers, body}: RequestInit) {
        asked.push(JSON.stringify([url, headers, body]));
        return Promise.resolve(url.includes('/config') ? config() : created());
      },
    });
    const form = await openFilled({endpoint: 'https://other.example'});
    expect(heading(form)).to.contain('Step 3 of 3');
    expect((await send(form)).type).to.equal('prequal-result');
    expect(asked.filter((request) => /Bearer|supersedes/.test(request))).to.deep.equal([]);
  });

  for (const odd of ['', 'null', '{}', '[]', '{"id":5}', 'not JSON']) {
    it(`a stored result that another script replaced is ignored: ${odd || 'an empty text'}`, async () => {
      server.result = () => problem(404, 'not-found');
      sessionStorage.setItem('lead-prequal:acme:prequalification', odd);
      const form = await openFilled();
      expect((await send(form)).type).to.equal('prequal-result');
    });
  }
});

describe('a lead that is changed', () => {
  const server = useServer();

  it('changed answers are sent as a new lead, which names the one that it replaces', async () => {
    server.reply(
      () => created(),
      () => created({id: '01934b2c-0000-7000-8000-000000000001', token: 'second'}),
    );
    const form = await openSent();
    for (const cash of ['60000', '70000']) {
      await click(form, 'Change my answers');
      fill(form, 'Cash', cash);
      await goOn(form);
      await send(form);
    }
    expect(server.leads.map(({body}) => body.supersedes)).to.deep.equal([
      undefined,
      {id: answer().id, token: 'token'},
      {id: '01934b2c-0000-7000-8000-000000000001', token: 'second'},
    ]);
    expect(new Set(server.leads.map(({key}) => key)).size).to.equal(3);
  });

  it('a lead that is being changed keeps its old result until the new lead is sent', async () => {
    const form = await openSent();
    await click(form, 'Change my answers');
    form.remove();
    await shows(await open(), '$830,000');
  });
});

describe('where the page may not store anything', () => {
  const server = useServer();
  beforeEach(forbidStorage);

  it('a form that may not store anything can still be sent, tried again and changed', async () => {
    server.reply(
      () => problem(500, 'internal'),
      () => created(),
    );
    const form = await openSent();
    await send(form, 'Try again');
    expect(text(form)).to.contain('$830,000');
    expect(server.leads[1]!.key).to.equal(server.leads[0]!.key);
    await click(form, 'Change my answers');
    await goOn(form);
    await send(form);
    expect(server.leads[2]!.body.supersedes).to.deep.equal({id: answer().id, token: 'token'});
    await startOver(form);
    expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
  });
});

describe('a configuration of an older or newer server', () => {
  const server = useServer();

  for (const odd of [
    '{}',
    'null',
    '[]',
    '"text"',
    '7',
    '<h1>Welcome</h1>',
    '{"lead_types":null,"minimums":null,"consent":null,"colors":null,"next_step":null,"challenge":null}',
    '{"lead_types":{},"minimums":[],"consent":{},"colors":[],"next_step":[],"challenge":{}}',
    '{"lead_types":[7],"minimums":{"rollover_amount":"much"},"consent":"yes","colors":{"accent":7},"next_step":{"en":7},"challenge":7,"new":1}',
  ]) {
    it(`the form works with the odd configuration ${odd}`, async () => {
      server.config = () => new Response(odd);
      server.reply(() => created({reasons: {rollover_amount: 'below_minimum'}}));
      const form = await openFilled();
      expect((await send(form)).type).to.equal('prequal-result');
      expect(text(form)).to.contain('$830,000').and.not.to.contain('undefined');
    });
  }

  it('the result is shown although the answer has no reasons', async () => {
    const {id, token} = answer();
    server.reply(() => json(201, {id, token, status: 'done', prequalification: answer().prequalification}));
    const form = await openSent();
    expect(text(form)).to.contain('$830,000');
  });
});
