/** The total that grows while the visitor answers, of partners that show it before the contact data. */
import {expect} from '@open-wc/testing';
import {defaultPolicy, figuresOf} from '../../../calculator/policy.ts';
import type {PolicyFigures} from '../../../contract/policy.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {config, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  choose,
  chooseScore,
  click,
  field,
  fill,
  fillAll,
  fillContact,
  fillFunds,
  focused,
  goTo,
  heading,
  open,
  openFilled,
  openSent,
  reserved,
  send,
  text,
  touch,
} from '../../support/browser/visitor.ts';

const figures = figuresOf(defaultPolicy);
const growing = 'Your estimate grows here.';

const part = (form: LeadPrequalForm) => form.shadowRoot!.querySelector('[part=so-far]');
const line = (form: LeadPrequalForm) => part(form)?.textContent.trim().replace(/\s+/g, ' ') ?? '';
const assumed = ' if you never filed for bankruptcy';

/** Types an amount, and leaves the field. */
async function answer(form: LeadPrequalForm, label: string, value: string) {
  fill(form, label, value);
  field(form, label).blur();
  await until(() => field(form, label).value !== value || !value.includes('k'));
  await form.updateComplete;
}

describe('the total so far', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = () => config({estimate: figures});
  });

  it('grows with each answer, and is the total of the result in the end', async () => {
    const form = await open();
    await touch(form);
    expect(line(form), 'on the first step').to.equal('');
    await goTo(form, 'Cash');
    await until(() => line(form) === `So far: about $150,000${assumed}`);
    await answer(form, 'Retirement funds', '120k');
    expect(line(form)).to.equal(`So far: about $750,000${assumed}`);
    await answer(form, 'Cash', '50,000');
    await until(() => line(form) === `So far: about $950,000${assumed}`);
    await answer(form, 'Investments', '0');
    await click(form, 'Next');
    expect(line(form)).to.equal(`So far: about $950,000${assumed}`);
  });

  it('grows shortly after a key, and screen readers wait until the field is left', async () => {
    const form = await open();
    await chooseScore(form);
    await choose(form, 'No');
    await click(form, 'Next');
    await until(() => line(form) === 'So far: about $150,000');
    const seen: string[] = [];
    new MutationObserver(() => seen.push(line(form))).observe(part(form)!, {childList: true, subtree: true});
    fill(form, 'Retirement funds', '60,000');
    fill(form, 'Retirement funds', '120,000');
    const busy = () => part(form)!.getAttribute('aria-busy');
    await until(() => line(form) === 'So far: about $750,000');
    expect(seen, 'not at each key').to.deep.equal(['So far: about $750,000']);
    expect(focused(form)).to.equal(field(form, 'Retirement funds'));
    expect(busy()).to.equal('true');
    field(form, 'Cash').focus();
    await until(() => busy() === 'false');
    expect(line(form)).to.equal('So far: about $750,000');
  });

  it('is one line that stays in view, above the funds', async () => {
    for (const lang of ['en', 'es']) {
      document.documentElement.lang = lang;
      const form = await open({layout: 'single', style: 'display: block; width: 288px'});
      await until(() => line(form) !== '');
      const lineHeight = () => {
        const style = getComputedStyle(part(form)!);
        return part(form)!.clientHeight - parseFloat(style.paddingTop) * 2 - parseFloat(style.lineHeight);
      };
      expect(lineHeight(), line(form)).to.be.below(1);
      expect(part(form)!.nextElementSibling!.getAttribute('data-step')).to.equal('funds');
      for (const name of ['credit_score', 'bankruptcy'])
        form.shadowRoot!.querySelector<HTMLElement>(`[data-field=${name}] [name]`)!.click();
      await until(() => line(form).includes('$150,000'));
      expect(lineHeight(), line(form)).to.be.below(1);
      form.shadowRoot!.querySelector('[data-step=contact]')!.scrollIntoView();
      const {top, bottom} = part(form)!.getBoundingClientRect();
      expect(top).to.be.at.least(0);
      expect(bottom).to.be.at.most(innerHeight);
    }
  });

  it('counts investments from the least that the policy takes', async () => {
    const {portfolio_loan} = figures;
    const none = {...portfolio_loan, percent_of_investments: 0};
    server.config = () =>
      config({estimate: {...figures, portfolio_loan: none, portfolio_loan_from: portfolio_loan}});
    const form = await open();
    await goTo(form, 'Cash');
    await answer(form, 'Investments', '99,999');
    await until(() => line(form) === `So far: about $150,000${assumed}`);
    await answer(form, 'Investments', '100k');
    await until(() => line(form) === `So far: about $210,000${assumed}`);
  });

  it('says that a bankruptcy lowers it, and assumes none where the visitor does not say', async () => {
    const form = await open();
    await goTo(form, 'Cash');
    await fillFunds(form);
    for (const [answer, said] of [
      ['Yes', 'So far: about $120,000 A bankruptcy lowers it.'],
      ['No', 'So far: about $950,000'],
      ['Rather not say', `So far: about $950,000${assumed}`],
    ] as const) {
      await click(form, 'Back');
      await choose(form, answer);
      await click(form, 'Next');
      expect(line(form)).to.equal(said);
    }
  });

  it('is said politely, and neither moves the focus nor stops a step', async () => {
    const form = await open();
    await goTo(form, 'Cash');
    const cash = field(form, 'Cash');
    await answer(form, 'Retirement funds', '120k');
    cash.focus();
    await until(() => line(form).includes('$750,000'));
    expect(form.shadowRoot!.querySelector('[part=so-far]')!.getAttribute('role')).to.equal('status');
    expect(focused(form)).to.equal(cash);
    await answer(form, 'Cash', 'some');
    expect(line(form)).to.contain('$750,000');
  });

  it('is also in the contact-first order, and in a form on one page', async () => {
    const form = await open({order: 'contact-first'});
    await goTo(form, 'Yes');
    await until(() => line(form) === growing);
    await fillAll(form);
    expect(line(form)).to.contain('So far');
    const single = await open({layout: 'single', style: reserved});
    await until(() => line(single) === growing);
    await choose(single, 'Above 720 Excellent');
    await choose(single, 'No');
    expect(line(single)).to.equal('So far: about $150,000');
  });

  it('comes back with a draft, and goes with the answers', async () => {
    const form = await open({draft: ''});
    await goTo(form, 'First name');
    const before = line(form);
    form.remove();
    const again = await open({draft: ''});
    await until(() => line(again) === before);
    again.reset();
    await again.updateComplete;
    await goTo(again, 'Cash');
    await until(() => line(again) === `So far: about $150,000${assumed}`);
  });

  it('nothing of it is sent, and it is not in the page outside of the form', async () => {
    const form = await openSent();
    const sent = ['lead', 'attribution', 'elapsed_ms', 'lang', 'page'];
    expect(Object.keys(server.leads[0]!.body)).to.have.members(sent);
    expect(JSON.stringify(server.leads[0]!.body)).not.to.contain('950');
    expect(line(form), 'the result has its own total').to.equal('');
    expect(heading(form)).to.contain('$830,000');
  });

  it('is not shown to a standard lead, nor without the figures', async () => {
    const standard = await open({'lead-type': 'standard'});
    await fillContact(standard);
    expect(line(standard)).to.equal('');
    server.config = () => config();
    const form = await open({partner: 'globex'});
    await goTo(form, 'First name');
    expect(line(form)).to.equal('');
    expect(text(form)).not.to.contain(growing);
  });

  for (const odd of [{}, 7, 'x', {...figures, sba: {}}, {...figures, rollover: null}]) {
    it(`odd figures of a server show nothing, and stop nothing: ${JSON.stringify(odd).slice(0, 40)}`, async () => {
      server.config = () => config({estimate: odd as PolicyFigures});
      const form = await openFilled();
      expect(line(form)).to.equal('');
      expect((await send(form)).type).to.equal('prequal-result');
    });
  }
});
