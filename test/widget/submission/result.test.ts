import {expect} from '@open-wc/testing';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {restorePage, stub} from '../../support/browser/browser-page.ts';
import {amounts, created, FakeServer} from '../../support/browser/fake-server.ts';
import {
  button,
  click,
  field,
  fillAll,
  focused,
  heading,
  link,
  maybeButton,
  open,
  send,
  text,
  type Attributes,
} from '../../support/browser/visitor.ts';

describe('the result', () => {
  let server: FakeServer;
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => {
    restorePage();
    server.restore();
  });

  const result = async (over: Partial<EmbedAnswer> = {}, attributes: Attributes = {}) => {
    server.reply(() => created(over));
    // The form would otherwise find the receipt of an earlier lead and show its result.
    sessionStorage.clear();
    const form = await open(attributes);
    await fillAll(form);
    await send(form);
    return form;
  };

  const rows = (form: Element) =>
    [...(form.shadowRoot?.querySelectorAll('table tr') ?? [])].map((row) =>
      [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()),
    );

  it('the result greets the visitor by name, with the total, and takes the focus', async () => {
    const form = await result();
    expect(heading(form)).to.equal('Maria, you may qualify for up to $830,000');
    expect(focused(form)?.textContent).to.contain('$830,000');
  });

  it('the result lists the four amounts and the total, each with a sentence', async () => {
    const form = await result({
      reasons: {
        portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
        sba_qualified_amount: 'assumes_no_bankruptcy',
      },
    });
    expect(rows(form)).to.deep.equal([
      ['Kind of funding', 'Amount'],
      ['Retirement rollover', '$120,000'],
      ['Your own retirement funds put to work in your business, without a loan.'],
      ['SBA loan', '$560,000'],
      [
        'A bank loan backed by the Small Business Administration, based on your own capital. Assumes no bankruptcy.',
      ],
      ['Unsecured funding', '$150,000'],
      ['Loans and credit lines based on your credit, with nothing pledged.'],
      ['Portfolio loan', '$0'],
      ['Needs investments outside of retirement accounts.'],
      ['Total', '$830,000'],
    ]);
  });

  const none = {
    first_name: 'Maria',
    rollover_amount: 0,
    sba_qualified_amount: 0,
    unsecured_amount: 0,
    portfolio_loan_qualified_amount: 0,
    total_qualified_amount: 0,
  };

  it('an amount of zero says what it needs, with the minimum of the configuration', async () => {
    const form = await result({
      prequalification: none,
      reasons: {
        rollover_amount: 'below_minimum',
        sba_qualified_amount: 'below_minimum',
        unsecured_amount: 'credit_score',
        portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
      },
    });
    expect(heading(form)).to.equal('Maria, we found no funding for these answers yet');
    for (const sentence of [
      'Needs at least $50,000 in retirement funds.',
      'Starts at $75,000: more cash or retirement funds would get you there.',
      'Needs a higher credit score.',
      'Needs investments outside of retirement accounts.',
    ]) {
      expect(text(form)).to.contain(sentence);
    }
  });

  it('an amount of zero says what it needs without a minimum if the configuration has none', async () => {
    server.config = () => new Response('{"lead_types":["prequalification"],"minimums":{}}');
    const form = await result({prequalification: none, reasons: {rollover_amount: 'below_minimum'}});
    expect(text(form)).to.contain('Needs more in retirement funds.');
  });

  it('an amount of zero without a reason, as an upstream gives it, has a neutral sentence', async () => {
    const form = await result({prequalification: none, reasons: {}});
    expect(text(form)).to.contain('Not part of this estimate.');
    expect(text(form)).not.to.contain('undefined');
  });

  for (const code of ['constructor', 'toString', '__proto__', 'hasOwnProperty', '', 'of a newer server']) {
    it(`an amount of zero with the unknown reason ${JSON.stringify(code)} has the neutral sentence`, async () => {
      const reasons = JSON.parse(
        `{"rollover_amount": "${code}", "portfolio_loan_qualified_amount": "${code}"}`,
      ) as EmbedAnswer['reasons'];
      const form = await result({reasons});
      const [, , aboutRollover, , , , , , aboutPortfolio] = rows(form);
      expect(aboutPortfolio).to.deep.equal(['Not part of this estimate.']);
      expect(aboutRollover, 'of an amount that is more than zero').to.deep.equal([
        'Your own retirement funds put to work in your business, without a loan.',
      ]);
    });
  }

  it('the bar is drawn to the scale of its parts, whatever total an upstream gives', async () => {
    const form = await result({
      prequalification: {
        ...amounts,
        rollover_amount: 100,
        sba_qualified_amount: 200,
        unsecured_amount: 100,
        total_qualified_amount: 999,
      },
    });
    const bar = [...(form.shadowRoot?.querySelectorAll('[part=bar] rect') ?? [])];
    expect(bar.map((part) => [part.getAttribute('x'), part.getAttribute('width')])).to.deep.equal([
      ['0%', '25%'],
      ['25%', '50%'],
      ['75%', '25%'],
      ['100%', '0%'],
    ]);
  });

  it('the result says that it is an estimate', async () => {
    const form = await result();
    expect(text(form)).to.contain('an estimate from your own answers, not an offer or a commitment to lend');
  });

  it('a name with HTML in it is shown as text', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const form = await result({prequalification: {...amounts, first_name: name}});
    expect(heading(form)).to.contain(name);
    expect(form.shadowRoot?.querySelector('img')).to.equal(null);
  });

  it("the result links to the partner's next step only if its URL is safe and it has a label, and else the console says why", async () => {
    const said: string[] = [];
    stub(console, 'error', {value: (sentence: string) => said.push(sentence)});
    const nextStep = {'cta-href': 'https://example.com/call', 'cta-label': 'Talk to a specialist'};
    expect(link(await result({}, nextStep), 'Talk to a specialist')?.href).to.equal(
      'https://example.com/call',
    );
    expect(link(await result({}, {...nextStep, 'cta-href': '/call'}), 'Talk to a specialist')?.href).to.equal(
      `${location.origin}/call`,
    );
    expect(said).to.deep.equal([]);
    for (const [bad, advice] of [
      [{...nextStep, 'cta-href': 'javascript:alert(1)'}, 'cta-href="javascript:alert(1)"'],
      [{'cta-href': nextStep['cta-href']}, 'set cta-label, too'],
      [{'cta-label': nextStep['cta-label']}, 'set cta-href, too'],
    ] as const) {
      said.length = 0;
      const form = await result({}, bad);
      expect(form.shadowRoot?.querySelectorAll('.answer a')).to.have.length(0);
      expect(said).to.have.length(1);
      expect(said[0]).to.contain(advice);
    }
  });

  it('Change my answers shows the answers again, and sends them as another lead', async () => {
    const form = await result();
    await click(form, 'Change my answers');
    expect(heading(form)).to.equal('Step 1 of 3 About you');
    expect(focused(form)?.textContent).to.contain('About you');
    expect(field(form, 'Email').value).to.equal('maria@example.com');
    await click(form, 'Next');
    expect(field(form, 'Above 720 Excellent').checked).to.be.true;
    await click(form, 'Next');
    expect(field(form, 'Retirement funds').value).to.equal('120,000');
    await send(form);
    expect(server.leads).to.have.length(2);
    expect(server.leads[0]!.key).not.to.equal(server.leads[1]!.key);
  });

  it('Start over shows an empty form', async () => {
    const form = await result();
    await click(form, 'Start over');
    expect(heading(form)).to.equal('Step 1 of 3 About you');
    expect(focused(form)?.textContent).to.contain('About you');
    for (const label of ['First name', 'Last name', 'Email', 'Phone']) {
      expect(field(form, label).value, label).to.equal('');
    }
  });

  it('the result says that amounts will follow if the upstream has not answered yet', async () => {
    const form = await result({status: 'pending', prequalification: null, reasons: {}});
    expect(heading(form)).to.equal('We have your answers, Maria');
    expect(text(form)).to.contain('no need to send anything again');
    expect(maybeButton(form, 'Change my answers')).to.equal(undefined);
    button(form, 'Start over');
  });

  it('the result says what the visitor can do when the upstream refuses the lead', async () => {
    const form = await result({status: 'refused', prequalification: null, reasons: {}});
    expect(heading(form)).to.equal('We could not prepare an estimate, Maria');
    await click(form, 'Change my answers');
    expect(field(form, 'First name').value).to.equal('Maria');
  });
});
