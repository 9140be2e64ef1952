import {expect} from '@open-wc/testing';
import type {EmbedAnswer} from '../../../contract/embed.ts';
import {until} from '../../support/until.ts';
import {hearConsole} from '../../support/browser/browser-page.ts';
import {amounts, config, created, useServer} from '../../support/browser/fake-server.ts';
import {
  announced,
  button,
  click,
  description,
  errors,
  field,
  fill,
  fillContact,
  focused,
  goOn,
  heading,
  link,
  maybeButton,
  open,
  openSent,
  send,
  summary,
  text,
  type Attributes,
} from '../../support/browser/visitor.ts';

describe('the result', () => {
  const server = useServer();
  const said = hearConsole();

  const result = async (over: Partial<EmbedAnswer> = {}, attributes: Attributes = {}) => {
    // The reference of this id is `K7QM-2XHD`.
    server.reply(() => created({id: '01934b2c-0000-7000-8000-0099ef41762d', ...over}));
    // The form would otherwise find the receipt of an earlier lead and show its result.
    sessionStorage.clear();
    return openSent(attributes);
  };

  const next = (form: Element) =>
    form.shadowRoot?.querySelector('[part=next]')?.textContent?.replace(/\s+/g, ' ').trim();

  const rows = (form: Element) =>
    [...(form.shadowRoot?.querySelectorAll('table tr') ?? [])].map((row) =>
      [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()),
    );

  /** The amounts that are zero, with what each of them needs. */
  const unlocks = (form: Element) =>
    Object.fromEntries(
      [...(form.shadowRoot?.querySelectorAll('[part=unlock] > *') ?? [])].map((row) =>
        [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()),
      ),
    ) as Record<string, string>;

  it('greets the visitor by name, with the total, and takes the focus', async () => {
    const form = await result();
    expect(heading(form)).to.equal('Maria, you may qualify for up to $830,000');
    expect(focused(form)?.textContent).to.contain('$830,000');
  });

  it('lists the amounts above zero and their total, and then what would unlock the others', async () => {
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
        'A bank loan backed by the Small Business Administration, based on your cash and retirement rollover. Assumes no bankruptcy.',
      ],
      ['Unsecured loan', '$150,000'],
      ['Loans and credit lines based on your credit, with nothing pledged.'],
      ['Total', '$830,000'],
    ]);
    expect(unlocks(form)).to.deep.equal({
      'Portfolio loan': 'Needs investments outside of retirement accounts.',
    });
    expect(text(form)).to.contain('How to unlock more');
    expect(text(form)).not.to.contain('$0');
  });

  it('says how each amount was calculated, as far as the server explains it', async () => {
    const form = await result({
      prequalification: {
        ...amounts,
        portfolio_loan_qualified_amount: 12_000,
        total_qualified_amount: 842_000,
      },
      reasons: {},
      explanation: {
        rounding_increment: 1,
        parts: {
          rollover_amount: {method: 'whole_balance'},
          sba_qualified_amount: {method: 'down_payment', percent: 20},
          portfolio_loan_qualified_amount: {method: 'percentage', percent: 60},
        },
      },
    });
    for (const sentence of [
      'The whole balance may be used.',
      '80% of a project, with $140,000 of your own as the 20% down.',
      '60% of your $20,000.',
    ]) {
      expect(text(form)).to.contain(sentence);
    }
    expect(text(form)).not.to.contain('rounded');
  });

  it('says when a loan is the largest that there is', async () => {
    const form = await result({
      explanation: {rounding_increment: 1, parts: {sba_qualified_amount: {method: 'maximum'}}},
    });
    expect(text(form)).to.contain('This is the most that such a loan can be.');
  });

  it('amounts are rounded down everywhere if the server wants it, and the total is their sum', async () => {
    const form = await result({
      prequalification: {
        ...amounts,
        rollover_amount: 120_999,
        sba_qualified_amount: 483_996,
        total_qualified_amount: 754_995,
      },
      explanation: {rounding_increment: 1_000, parts: {}},
    });
    expect(heading(form)).to.equal('Maria, you may qualify for up to $753,000');
    expect(rows(form).filter((row) => row.length > 1)).to.deep.equal([
      ['Kind of funding', 'Amount'],
      ['Retirement rollover', '$120,000'],
      ['SBA loan', '$483,000'],
      ['Unsecured loan', '$150,000'],
      ['Total', '$753,000'],
    ]);
    expect(text(form)).to.contain('Amounts are rounded down.');
  });

  const none = {
    first_name: 'Maria',
    rollover_amount: 0,
    sba_qualified_amount: 0,
    unsecured_amount: 0,
    portfolio_loan_qualified_amount: 0,
    total_qualified_amount: 0,
  };

  it('in enough room, what would unlock an amount is not folded away', async () => {
    if (!CSS.supports('selector(details::details-content)')) return;
    const form = await openSent({style: 'inline-size: 640px'});
    const unlocked = [...form.shadowRoot!.querySelectorAll('[part=unlock] > *')];
    expect(unlocked).not.to.deep.equal([]);
    for (const row of unlocked) {
      const reason = row.querySelector('p')!;
      expect(reason.checkVisibility()).to.equal(true);
      expect(reason.getBoundingClientRect().bottom).to.be.at.most(row.getBoundingClientRect().bottom);
    }
  });

  it('a result of zeros begins with what would unlock each amount, by the figures of the policy', async () => {
    const form = await result({
      prequalification: none,
      reasons: {
        rollover_amount: 'below_minimum',
        sba_qualified_amount: 'credit_score',
        unsecured_amount: 'credit_score',
        portfolio_loan_qualified_amount: 'nothing_to_borrow_against',
      },
      explanation: {
        rounding_increment: 1_000,
        parts: {
          rollover_amount: {minimum_funds: 50_000},
          sba_qualified_amount: {minimum_score: 680, minimum_funds: 32_143},
          unsecured_amount: {minimum_score: 620},
        },
      },
    });
    expect(heading(form)).to.equal('Maria, we found no funding for these answers yet');
    expect(unlocks(form)).to.deep.equal({
      'Retirement rollover': 'Needs at least $50,000 in retirement funds.',
      'SBA loan':
        'From a credit score of 680. Needs at least $33,000 in cash or rolled-over retirement funds.',
      'Unsecured loan': 'From a credit score of 620.',
      'Portfolio loan': 'Needs investments outside of retirement accounts.',
    });
    expect(form.shadowRoot?.querySelector('table, [part=bar]')).to.equal(null);
    expect(text(form)).not.to.contain('$0');
  });

  it('an amount of zero says what it needs without a figure if the server does not explain it', async () => {
    const form = await result({
      prequalification: none,
      reasons: {rollover_amount: 'below_minimum', unsecured_amount: 'credit_score'},
    });
    expect(unlocks(form)).to.deep.include({
      'Retirement rollover': 'Needs more in retirement funds.',
      'Unsecured loan': 'Needs a higher credit score.',
    });
  });

  it('an amount of zero without a reason, as an upstream gives it, has a neutral sentence', async () => {
    const form = await result({reasons: {}});
    expect(unlocks(form)).to.deep.equal({'Portfolio loan': 'Not part of this estimate.'});
    expect(text(form)).not.to.contain('undefined');
    expect(text(form)).not.to.contain('How to unlock more');
  });

  it('a result of zeros without a reason says who can help, and lists nothing', async () => {
    const form = await result({prequalification: none, reasons: {}});
    expect(heading(form)).to.equal('Maria, we found no funding for these answers yet');
    expect(text(form)).to.contain('a person may find another way');
    expect(next(form)).to.equal(
      'What happens next We will contact you about your answers at (415) 555-0132. Your reference: K7QM-2XHD',
    );
    for (const empty of ['Not part', 'How to unlock more', '$0', 'about this estimate'])
      expect(text(form)).not.to.contain(empty);
    expect(unlocks(form)).to.deep.equal({});
    button(form, 'Change my answers');
  });

  it('a result of zeros lists only the amounts of which it is known what they need', async () => {
    const form = await result({
      prequalification: none,
      reasons: {unsecured_amount: 'credit_score', ...({rollover_amount: 'of a newer server'} as object)},
    });
    expect(unlocks(form)).to.deep.equal({'Unsecured loan': 'Needs a higher credit score.'});
    expect(text(form)).to.contain('How to unlock more');
    expect(text(form)).not.to.contain('another way');
  });

  it('a total without its parts, as an upstream may give it, is shown alone', async () => {
    const form = await result({prequalification: {...none, total_qualified_amount: 50_000}, reasons: {}});
    expect(heading(form)).to.equal('Maria, you may qualify for up to $50,000');
    expect(form.shadowRoot?.querySelector('table, [part=bar], [part=unlock]')).to.equal(null);
    expect(text(form)).not.to.contain('Not part');
  });

  it('a total of zero with parts above zero is shown as nothing, without the parts', async () => {
    const form = await result({prequalification: {...amounts, total_qualified_amount: 0}, reasons: {}});
    expect(heading(form)).to.equal('Maria, we found no funding for these answers yet');
    expect(form.shadowRoot?.querySelector('table, [part=unlock]')).to.equal(null);
    expect(text(form)).not.to.contain('$');
  });

  for (const code of ['constructor', 'toString', '__proto__', 'hasOwnProperty', '', 'of a newer server']) {
    it(`an amount of zero with the unknown reason ${JSON.stringify(code)} has the neutral sentence`, async () => {
      const reasons = JSON.parse(
        `{"rollover_amount": "${code}", "portfolio_loan_qualified_amount": "${code}"}`,
      ) as EmbedAnswer['reasons'];
      const form = await result({reasons});
      const [, , aboutRollover] = rows(form);
      expect(unlocks(form)).to.deep.equal({'Portfolio loan': 'Not part of this estimate.'});
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
    ]);
  });

  it('the link below needs a safe URL and a label, or the console says why it is not shown', async () => {
    const attributes = {'cta-href': 'https://example.com/call', 'cta-label': 'Talk to a specialist'};
    expect(link(await result({}, attributes), 'Talk to a specialist')?.href).to.equal(
      'https://example.com/call',
    );
    expect(
      link(await result({}, {...attributes, 'cta-href': '/call'}), 'Talk to a specialist')?.href,
    ).to.equal(`${location.origin}/call`);
    expect(said).to.deep.equal([]);
    let count = 0;
    for (const [bad, advice] of [
      [{...attributes, 'cta-href': 'javascript:alert(1)'}, 'cta-href="javascript:alert(1)"'],
      [{'cta-href': attributes['cta-href']}, 'set cta-label, too'],
      [{'cta-label': attributes['cta-label']}, 'set cta-href, too'],
    ] as const) {
      const form = await result({}, bad);
      expect(form.shadowRoot?.querySelectorAll('.answer a')).to.have.length(0);
      await until(() => said.length > count, 'the console says what to correct');
      expect(said).to.have.length(++count);
      expect(said.at(-1)).to.contain(advice);
    }
  });

  it('Change my answers opens the funds, and sends all answers as another lead', async () => {
    const form = await result();
    await click(form, 'Change my answers');
    expect(heading(form)).to.equal('Step 2 of 3 Your funds');
    expect(focused(form)?.textContent).to.contain('Your funds');
    expect(field(form, 'Retirement funds').value).to.equal('120,000');
    await click(form, 'Back');
    expect(field(form, 'Above 720 Excellent').checked).to.be.true;
    await goOn(form);
    expect(field(form, 'Email').value).to.equal('maria@example.com');
    await send(form);
    expect(server.leads).to.have.length(2);
    expect(server.leads[0]!.key).not.to.equal(server.leads[1]!.key);
  });

  const next_step = {en: 'Maria of Acme calls you at {phone} today.', es: 'María le llama hoy al {phone}.'};

  it('has the reference, and the next step of the partner unless the lead was refused', async () => {
    server.config = () => config({next_step});
    const noAmounts = {prequalification: null, reasons: {}};
    const calls = 'Maria of Acme calls you at (415) 555-0132 today.';
    for (const status of ['pending', 'done', 'refused'] as const) {
      const form = await result({...noAmounts, status});
      expect(next(form)).to.contain('Your reference: K7QM-2XHD');
      if (status === 'refused') expect(next(form)).not.to.contain(calls);
      else expect(next(form), status).to.contain(calls);
    }
  });

  it('the next step of the partner stands in the place of the usual thanks', async () => {
    server.config = () => config({next_step});
    const form = await result({prequalification: null, reasons: {}});
    expect(heading(form)).to.equal('Thank you, Maria');
    expect(text(form)).not.to.contain('will be in touch soon');
  });

  it('the next step of the partner may be for another region, such as es-MX', async () => {
    const {en, es} = next_step;
    server.config = () => config({next_step: {'en-GB': en, 'es-MX': es}});
    const form = await result();
    form.lang = 'es';
    await until(() => next(form)?.startsWith('Próximos pasos') === true, 'the result is in Spanish');
    expect(next(form)).to.contain('María le llama hoy al (415) 555-0132.');
  });

  it('Start over asks before it erases the result, and then shows an empty form', async () => {
    const form = await result();
    await click(form, 'Start over');
    expect(heading(form), 'the result is still there').to.contain('$830,000');
    await click(form, 'Erase this result');
    expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
    expect(focused(form)?.textContent).to.contain('What is your credit score?');
    expect(field(form, 'Above 720 Excellent').checked).to.equal(false);
    form.order = 'contact-first';
    await form.updateComplete;
    for (const label of ['First name', 'Last name', 'Email', 'Phone']) {
      expect(field(form, label).value, label).to.equal('');
    }
  });

  it('a double click on Start over erases nothing', async () => {
    const form = await result();
    const press = (name: string, detail: number) =>
      button(form, name).dispatchEvent(new PointerEvent('click', {detail, bubbles: true}));
    press('Start over', 1);
    await form.updateComplete;
    press('Erase this result', 2);
    await form.updateComplete;
    expect(heading(form)).to.contain('$830,000');
    expect(announced(form)).to.equal('Erase this result');
  });

  it('a visitor who leaves the button to start over is asked again the next time', async () => {
    const form = await result();
    button(form, 'Start over').focus();
    await click(form, 'Start over');
    expect(focused(form)).to.equal(button(form, 'Erase this result'));
    button(form, 'Change my answers').focus();
    await form.updateComplete;
    button(form, 'Start over');
    expect(maybeButton(form, 'Erase this result')).to.equal(undefined);
  });

  it('says that amounts will follow if the upstream has not answered yet', async () => {
    const form = await result({status: 'pending', prequalification: null, reasons: {}});
    expect(heading(form)).to.equal('We have your answers, Maria');
    expect(text(form)).to.contain('no need to send anything again');
    expect(maybeButton(form, 'Change my answers')).to.equal(undefined);
    button(form, 'Start over');
  });

  const refused = {status: 'refused', prequalification: null, reasons: {}} as const;

  it('a refusal that names a field says which, and leads the visitor back to it', async () => {
    const form = await result({...refused, refused_fields: ['email']});
    expect(heading(form)).to.equal('We could not prepare an estimate, Maria');
    expect(text(form)).to.contain('Not accepted: Email.');
    expect(text(form)).to.contain('give this reference: a person can help');
    expect(next(form)).to.equal('Your reference: K7QM-2XHD');
    await click(form, 'Change my answers');
    expect(heading(form)).to.contain('About you');
    expect(field(form, 'Email').value).to.equal('maria@example.com');
    expect(focused(form)).to.equal(field(form, 'Email'));
    expect(description(form, field(form, 'Email'))).to.equal('Email was not accepted. Please check it.');
    fill(form, 'Email', 'maria@example.org');
    await form.updateComplete;
    expect(errors(form)).to.deep.equal([]);
  });

  it('a refusal that names several fields leads to the first of them, with a summary', async () => {
    const form = await result({...refused, refused_fields: ['retirement', 'cash', 'email']});
    expect(text(form)).to.contain('Not accepted: Retirement funds, Cash, Email.');
    await click(form, 'Change my answers');
    expect(heading(form)).to.contain('Your funds');
    expect(summary(form)).to.deep.equal([
      'Retirement funds was not accepted. Please check it.',
      'Cash was not accepted. Please check it.',
    ]);
  });

  it('a refusal that names a field that only a newer form has is like one that names none', async () => {
    const form = await result({...refused, refused_fields: ['company', 'constructor'] as never});
    expect(text(form)).to.contain('These answers were not accepted.');
    await click(form, 'Change my answers');
    expect(field(form, 'Above 720 Excellent').checked).to.equal(true);
    expect(errors(form)).to.deep.equal([]);
  });

  it('a refusal of contact data says nothing of an estimate', async () => {
    server.reply(() => created(refused));
    sessionStorage.clear();
    const form = await open({'lead-type': 'standard'});
    await fillContact(form);
    await send(form, 'Send');
    expect(heading(form)).to.equal('We could not accept your details, Maria');
    expect(form.shadowRoot?.querySelector('.answer')?.textContent).not.to.contain('estimate');
    button(form, 'Change my answers');
  });
});
