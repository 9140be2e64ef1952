/** What the partner asks for besides, and what is said of it where the contact data is asked for. */
import {expect} from '@open-wc/testing';
import {sendKeys} from '@web/test-runner-commands';
import {defaultPolicy, figuresOf} from '../../../calculator/policy.ts';
import type {AboutPartner, AskedField, EmbedConfig} from '../../../contract/embed.ts';
import {questionNames} from '../../../contract/questions.ts';
import {askedFieldsIn} from '../../../form/words/asked.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {stub} from '../../support/browser/browser-page.ts';
import {keepDraft} from '../../support/browser/drafts.ts';
import {config, created, isReadingReply, problem, useServer} from '../../support/browser/fake-server.ts';
import {
  button,
  click,
  description,
  errors,
  field,
  fill,
  fillAll,
  fillContact,
  focused,
  goTo,
  link,
  maybeField,
  open,
  openFilled,
  reserved,
  send,
  shows,
  showsConfigured,
  startOver,
  summary,
  text,
  type Attributes,
} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';

const labels = {
  call_time: 'When should we call? (optional)',
  state: 'State (optional)',
  time_frame: 'When do you need the funding? (optional)',
  notes: 'Anything else we should know? (optional)',
};
const more = 'Tell us more (optional)';
const all = {
  call_time: 'text_first',
  state: 'NY',
  time_frame: '2-6 months',
  notes: 'Call my office,\nplease.',
};
const promise = {name: 'promise', text: 'We call within a day.', lang: 'en'} as const;
const ready = 'Tell Acme who it is for.';

describe('what the partner asks for besides', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = ({searchParams}) => asking({}, searchParams.get('lang') ?? 'en-US');
  });

  const asking = (over: Partial<EmbedConfig> = {}, lang = 'en-US') =>
    config({ask: askedFieldsIn(questionNames, lang), ...over});
  const names = (form: LeadPrequalForm) =>
    [...form.shadowRoot!.querySelectorAll<HTMLElement>('[data-field]')].map(({dataset}) => dataset['field']);
  const shown = (form: LeadPrequalForm) => shows(form, labels.notes);

  async function reach(attributes: Attributes = {}) {
    const form = await openFilled({style: reserved, ...attributes});
    await shown(form);
    return form;
  }
  function fillAsked(form: LeadPrequalForm, values: Partial<typeof all> = all) {
    for (const [name, value] of Object.entries(values))
      fill(form, labels[name as keyof typeof labels], value);
  }
  const valuesOf = (form: LeadPrequalForm) =>
    Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, field(form, label).value]));

  for (const attributes of [
    {},
    {order: 'contact-first'},
    {layout: 'single'},
    {layout: 'single', order: 'contact-first'},
    {'lead-type': 'standard'},
  ]) {
    const where = JSON.stringify(attributes);

    it(`stands at the end of the last page, above the consent, and is sent: ${where}`, async () => {
      const consent = {text: 'I agree to be called.', version: '1', required: false};
      server.config = () => asking({consent});
      const form = await reach(attributes);
      await shows(form, consent.text);
      expect(names(form).slice(-5)).to.deep.equal([...questionNames, 'consent']);
      fillAsked(form);
      await send(form, 'lead-type' in attributes ? 'Send' : 'See my estimate');
      expect(server.leads[0]!.body.lead).to.include(all);
    });
  }

  const own: AskedField[] = [
    {
      name: 'revenue',
      label: 'Monthly revenue',
      choices: {low: 'Under $10,000', high: 'Over $50,000'},
      required: true,
    },
    {name: 'since', label: 'In business since', step: 'funds'},
    {name: 'plan', label: 'What is the plan?'},
  ];

  it("asks a partner's own questions, one beside the amounts, and wants one answered", async () => {
    server.config = () => config({ask: [...askedFieldsIn(['notes']), ...own]});
    const form = await openFilled({style: reserved});
    await shows(form, 'Monthly revenue');
    expect(names(form)).to.deep.equal([
      'first_name',
      'last_name',
      'email',
      'phone',
      'revenue',
      'notes',
      'plan',
    ]);
    await click(form, 'See my estimate');
    expect(errors(form)).to.deep.equal(['Monthly revenue is missing.']);
    fill(form, 'Monthly revenue', 'high');
    fill(form, 'What is the plan? (optional)', 'A shop');
    await click(form, 'Back');
    fill(form, 'In business since (optional)', '2019');
    await click(form, 'Next');
    await send(form);
    expect(server.leads[0]!.body.lead).to.include({revenue: 'high', since: '2019', plan: 'A shop'});
  });

  it('asks the question of each partner, where two forms have one of the same name', async () => {
    const others = [{name: 'revenue', label: 'Revenue of last year'}];
    server.config = ({searchParams}) => config({ask: searchParams.get('partner') === 'acme' ? own : others});
    const form = await openFilled({style: reserved, partner: 'acme'});
    await shows(form, 'Monthly revenue');
    const other = await openFilled({style: reserved, partner: 'globex'});
    await shows(other, 'Revenue of last year (optional)');
    form.requestUpdate();
    await form.updateComplete;
    await click(form, 'See my estimate');
    expect(errors(form)).to.deep.equal(['Monthly revenue is missing.']);
    fill(form, 'Monthly revenue', 'low');
    fill(other, 'Revenue of last year (optional)', '$1m');
    await send(form);
    await send(other);
    expect(server.leads.map(({body}) => body.lead['revenue'])).to.deep.equal(['low', '$1m']);
  });

  it("shows at a partner's own question that its choice is gone, and loses nothing else", async () => {
    server.config = () => config({ask: own});
    const form = await openFilled({style: reserved});
    await shows(form, 'Monthly revenue');
    form.prefill = {revenue: 'low', plan: 'Of the page'} as object;
    await form.updateComplete;
    const [revenue, plan] = [field(form, 'Monthly revenue'), field(form, 'What is the plan? (optional)')];
    expect([revenue.value, plan.value], 'no page answers for the visitor').to.deep.equal(['', '']);
    fill(form, 'Monthly revenue', 'high');
    fill(form, 'What is the plan? (optional)', 'A shop');
    server.reply(() =>
      problem(422, 'invalid-lead', {errors: [{field: 'revenue', code: 'invalid', message: ''}]}),
    );
    await send(form);
    expect(focused(form)).to.equal(revenue);
    expect(description(form, revenue)).to.contain('Monthly revenue');
    expect([plan.value, field(form, 'Email').value]).to.deep.equal([
      'A shop',
      server.leads[0]!.body.lead['email'],
    ]);
    server.reply(() => created());
    fill(form, 'Monthly revenue', 'low');
    await send(form);
    expect(server.leads[1]!.body.lead).to.include({...server.leads[0]!.body.lead, revenue: 'low'});
  });

  const fold = (form: LeadPrequalForm) => form.shadowRoot!.querySelector('details')!;

  it('comes folded, and a key unfolds it and folds it again, whatever else is shown', async () => {
    const form = await reach();
    expect(field(form, labels.notes).checkVisibility()).to.equal(false);
    button(form, more).focus();
    await sendKeys({press: 'Enter'});
    await until(() => field(form, labels.notes).checkVisibility());
    fill(form, labels.notes, 'x');
    fill(form, 'Phone', '12');
    field(form, 'Email').focus();
    await until(() => errors(form).length === 1);
    fill(form, labels.notes, '');
    fill(form, 'Phone', '');
    field(form, 'Email').focus();
    await until(() => errors(form)[0] === 'Enter your phone number.');
    expect(fold(form).open, 'the visitor may be in it').to.equal(true);
    button(form, more).focus();
    await sendKeys({press: 'Enter'});
    await until(() => !fold(form).open);
    form.requestUpdate();
    await form.updateComplete;
    expect(fold(form).open).to.equal(false);
  });

  it('is unfolded if something is filled in, or wrong, and folded again by reset()', async () => {
    const first = await reach({draft: ''});
    fillAsked(first, {state: 'NY', notes: 'n'.repeat(2_001)});
    first.remove();
    const second = await open({draft: '', style: reserved});
    await shown(second);
    expect(fold(second).open).to.equal(true);
    button(second, more).click();
    await click(second, 'See my estimate');
    expect(focused(second)?.id).to.equal('notes');
    fill(second, 'Phone', '');
    button(second, more).click();
    await click(second, 'See my estimate');
    link(second, summary(second)[1]!)!.click();
    expect(focused(second)?.id).to.equal('notes');
    second.reset();
    await fillAll(second);
    await shown(second);
    expect(fold(second).open).to.equal(false);
  });

  it('stands on no other page, and goes away when the partner asks no more', async () => {
    const form = await open({style: reserved});
    await goTo(form, 'Cash');
    expect(names(form)).to.not.include('state');
    await fillAll(form);
    await shown(form);
    server.config = () => config();
    form.partner = 'other';
    fill(form, 'First name', 'Ana');
    await until(() => maybeField(form, labels.state) === undefined);
    await send(form);
    expect(Object.keys(server.leads[0]!.body.lead)).to.not.include('state');
  });

  it('that has to be answered is asked before anything is sent, whenever it comes', async () => {
    stub(window, 'innerHeight', {value: 100_000});
    const arrives = server.delayConfig(() => config({ask: own}));
    const form = await open({'lead-type': 'standard'});
    await fillContact(form);
    const sent = send(form, 'Send');
    arrives();
    await sent;
    expect(errors(form), 'which came after the press').to.deep.equal(['Monthly revenue is missing.']);

    const other = await open({'lead-type': 'standard'});
    other.prefill = {first_name: 'Ana', last_name: 'Silva', email: 'a@example.com', phone: '4155550199'};
    await until(() => other.shadowRoot!.querySelector('.waiting') === null);
    await other.updateComplete;
    expect(maybeField(other, 'Monthly revenue')).to.equal(undefined);
    await click(other, 'Send');
    expect(errors(other), 'which waits for a touch').to.deep.equal(['Monthly revenue is missing.']);
    expect(server.leads).to.have.length(0);
  });

  it('is sent from a draft, also if it waits for a touch', async () => {
    stub(window, 'innerHeight', {value: 100_000});
    server.config = () => config({ask: own});
    const contact = {first_name: 'Ana', last_name: 'Silva', email: 'a@example.com', phone: '4155550199'};
    keepDraft({...contact, revenue: 'low', plan: 'A shop'});
    const form = await open({'lead-type': 'standard', draft: ''});
    await until(() => form.shadowRoot!.querySelector('.waiting') === null);
    await form.updateComplete;
    expect(maybeField(form, 'Monthly revenue')).to.equal(undefined);
    expect((await send(form, 'Send')).type).to.equal('prequal-result');
    expect(server.leads[0]!.body.lead).to.include({revenue: 'low', plan: 'A shop'});
  });

  it('leaves the summary of errors, if the partner asks no more', async () => {
    const two = [own[0]!, {name: 'plan', label: 'Plan', required: true}];
    server.config = ({searchParams}) => config({ask: searchParams.get('partner') === 'acme' ? two : []});
    const form = await openFilled({style: reserved, partner: 'acme'});
    await shows(form, 'Monthly revenue');
    fill(form, 'Phone', '');
    await click(form, 'See my estimate');
    expect(summary(form)).to.have.length(3);
    form.partner = 'other';
    fill(form, 'First name', 'Ana');
    await until(() => maybeField(form, 'Monthly revenue') === undefined);
    expect(summary(form)).to.deep.equal(['Enter your phone number.']);
    expect(errors(form)).to.deep.equal(['Enter your phone number.']);

    form.partner = 'acme';
    fill(form, 'Phone', '4155550199');
    await shows(form, 'Monthly revenue');
    await click(form, 'See my estimate');
    expect(summary(form)).to.have.length(2);
    form.partner = 'other';
    fill(form, 'First name', 'Eva');
    await until(() => maybeField(form, 'Monthly revenue') === undefined);
    expect(form.shadowRoot!.querySelector('[part~=summary]')).to.equal(null);
  });

  it('may be left empty, and then is not sent', async () => {
    const form = await reach();
    await send(form);
    expect(Object.keys(server.leads[0]!.body.lead).filter((name) => name in labels)).to.deep.equal([]);
  });

  it('has the choices in words, in the language of the page, and keeps what was chosen', async () => {
    const form = await reach();
    fillAsked(form);
    const state = field(form, labels.state) as unknown as HTMLSelectElement;
    expect([...state.options].slice(0, 3).map(({label}) => label)).to.deep.equal(['', 'Alabama', 'Alaska']);
    document.documentElement.lang = 'es';
    await shows(form, 'Nueva York');
    expect(text(form)).to.contain('¿Cuándo le llamamos? (opcional)');
    expect(state.selectedOptions[0]?.label).to.equal('Nueva York');
    await send(form, 'Ver mi estimado');
    expect(server.leads[0]!.body.lead).to.include(all);
  });

  it('keeps what was typed when the visitor goes back and forth, and changes the answers', async () => {
    const form = await reach();
    fillAsked(form);
    await click(form, 'Back');
    await click(form, 'Next');
    expect(valuesOf(form)).to.deep.equal(all);
    await send(form);
    await click(form, 'Change my answers');
    while (!maybeField(form, labels.state)) await click(form, 'Next');
    expect(valuesOf(form)).to.deep.equal(all);
  });

  it('is kept in a draft, also a text of several lines', async () => {
    const first = await reach({draft: ''});
    fillAsked(first);
    first.remove();
    const second = await open({draft: '', style: reserved});
    await shown(second);
    expect(valuesOf(second)).to.deep.equal(all);
    await send(second);
    expect(server.leads[0]!.body.lead).to.include(all);
  });

  it('a state in the draft that the partner does not offer is not sent', async () => {
    const first = await reach({draft: ''});
    fillAsked(first, {state: 'NY'});
    first.remove();
    const ask: AskedField[] = [{name: 'state', label: 'State', choices: {CA: 'California'}}];
    server.config = () => config({ask});
    const second = await open({draft: '', style: reserved});
    await shows(second, labels.state);
    await send(second);
    expect(server.leads[0]!.body.lead).to.not.have.property('state');
  });

  it('is emptied by reset() and by "Start over"', async () => {
    const form = await reach();
    fillAsked(form);
    form.reset();
    await fillAll(form);
    await shown(form);
    const empty = {call_time: '', state: '', time_frame: '', notes: ''};
    expect(valuesOf(form)).to.deep.equal(empty);
    fillAsked(form);
    await send(form);
    await startOver(form);
    await fillAll(form);
    expect(valuesOf(form)).to.deep.equal(empty);
  });

  it('errors stand beside the fields and in the summary, and keep what was typed', async () => {
    const form = await reach();
    const long = 'n'.repeat(2_001);
    fillAsked(form, {notes: long});
    fill(form, 'Phone', '12');
    await click(form, 'See my estimate');
    const tooLong = 'Notes must have 2000 characters or fewer.';
    expect(summary(form)[1]).to.equal(tooLong);
    const notes = field(form, labels.notes);
    expect([description(form, notes), notes.getAttribute('aria-invalid')]).to.deep.equal([tooLong, 'true']);
    expect(notes.value).to.equal(long);
    fill(form, 'Phone', '(415) 555-0132');
    fill(form, labels.notes, 'short');
    await form.updateComplete;
    expect(errors(form)).to.deep.equal([]);
  });

  it('a value that the upstream refuses is named, and can be changed', async () => {
    const form = await reach();
    fillAsked(form);
    server.reply(() =>
      created({status: 'refused', prequalification: null, reasons: {}, refused_fields: ['state']}),
    );
    await send(form);
    expect(text(form)).to.contain('Not accepted: State.');
    await click(form, 'Change my answers');
    expect(focused(form)).to.equal(field(form, labels.state));
  });

  it('a phone says that Enter in the last field to fill in sends, and notes take several lines', async () => {
    const form = await reach();
    expect(field(form, 'Phone').getAttribute('enterkeyhint')).to.equal('send');
    await click(form, more);
    field(form, labels.notes).focus();
    for (const key of ['a', 'Enter', 'b']) await sendKeys({press: key});
    expect(field(form, labels.notes).value).to.equal('a\nb');
    expect(server.leads).to.have.length(0);
  });

  it('waits, as the consent text does, while it would move what the visitor sees', async () => {
    stub(window, 'innerHeight', {value: 100_000});
    server.config = ({searchParams}) =>
      asking({about: {lines: [promise]}}, searchParams.get('lang') ?? 'en-US');
    const form = await open({'lead-type': 'standard'});
    await until(() => server.configRequests > 0);
    await until(() => form.shadowRoot!.querySelector('.waiting') === null);
    await form.updateComplete;
    expect(maybeField(form, labels.state)).to.equal(undefined);
    expect(text(form)).to.not.contain(promise.text);
    await fillContact(form);
    await shown(form);
    expect(text(form)).to.contain(promise.text);
    // In another language the fields stay: they have been shown.
    document.documentElement.lang = 'es';
    await shows(form, '¿Cuándo le llamamos?');
    expect(names(form)).to.include('state');
  });
});

describe('who asks for the contact data', () => {
  const server = useServer();
  const about: AboutPartner = {
    ready,
    logo: 'https://www.acme.example/logo.svg',
    lines: [
      {name: 'company', text: 'Acme'},
      promise,
      {name: 'only', text: '<b>Only</b> Acme gets this.', lang: 'en'},
      {name: 'trust', text: 'Con 4.9 de 5', lang: 'es'},
      {name: 'talk', text: 'Talk first?', link: {href: 'tel:+14155550132', text: '(415) 555-0132'}},
    ],
  };
  const estimate = figuresOf(defaultPolicy);
  const box = (form: LeadPrequalForm) => form.shadowRoot!.querySelector<HTMLElement>('[part=partner]');
  const headings = (form: LeadPrequalForm) =>
    [...form.shadowRoot!.querySelectorAll('h2')].map((each) => each.textContent.trim().replace(/\s+/g, ' '));

  for (const [what, attributes, over, title, says] of [
    ['by its total', {}, {about, estimate}, 'Step 3 of 3 Your estimate is ready: about $950,000', true],
    ['without a total that is not shown', {}, {about}, 'Step 3 of 3 Your estimate is ready', true],
    [
      'in no title if an upstream answers',
      {},
      {about: {lines: about.lines}, estimate},
      'Step 3 of 3 About you',
      false,
    ],
    ['in no title beside open questions', {layout: 'single'}, {about, estimate}, 'About you', false],
    [
      'in no title before the questions',
      {order: 'contact-first'},
      {about, estimate},
      'Step 1 of 3 About you',
      false,
    ],
    ['in no title of a standard lead', {'lead-type': 'standard'}, {about}, 'About you', false],
  ] as const) {
    it(`the estimate is said to be ready ${what}`, async () => {
      server.config = () => config(over);
      const form = await open({...attributes, style: reserved});
      await goTo(form, 'First name');
      await showsConfigured(form, promise.text);
      expect(headings(form).at(-1)).to.equal(title);
      expect(text(form).includes(ready)).to.equal(says);
      expect(text(form)).to.contain('We use your details to contact you.');
      expect(text(form).includes('short steps')).to.equal('order' in attributes);
      const fields = form.shadowRoot!.querySelector('[data-field=first_name]')!.getBoundingClientRect();
      const isAbove = box(form)!.getBoundingClientRect().bottom <= fields.top;
      expect(isAbove, 'on a first page, it moves no field').to.equal(title.startsWith('Step 3'));
    });
  }

  it('a box has a line for each, in its language, and the promise describes the phone field', async () => {
    server.config = () => config({about});
    const form = await open({style: reserved}, '<img slot="logo" alt="Acme" src="data:,">');
    await goTo(form, 'Phone');
    await shows(form, promise.text);
    expect(
      [...box(form)!.querySelectorAll('p')].map((line) => [line.innerText.trim(), line.lang]),
    ).to.deep.equal([
      ['Acme', ''],
      [promise.text, 'en'],
      ['<b>Only</b> Acme gets this.', 'en'],
      ['Con 4.9 de 5', 'es'],
      ['Talk first? (415) 555-0132', ''],
    ]);
    expect(link(form, '(415) 555-0132')!.href).to.equal('tel:+14155550132');
    const slot = box(form)!.querySelector('slot')!;
    expect(slot.assignedElements()).to.have.length(1);
    expect(slot.querySelector('img')!.src).to.equal(about.logo);
    const help = 'With the country code if it is not a US number.';
    expect(description(form, field(form, 'Phone'))).to.equal(`${help} ${promise.text}`);
    await click(form, 'See my estimate');
    expect(description(form, field(form, 'Phone'))).to.equal(
      `${help} ${promise.text} Enter your phone number.`,
    );
    slot.assignedElements()[0]!.remove();
    await expect(form).to.be.accessible();
  });

  it('nothing is said by an older server, or of a partner that says nothing', async () => {
    for (const over of [{}, {about: {ready, lines: []}}, {about: {lines: 'soon' as never}}]) {
      server.config = () => config(over);
      const form = await open({style: reserved});
      await goTo(form, 'Phone');
      await until(() => server.configRequests > 0 && !isReadingReply());
      await form.updateComplete;
      expect(box(form)).to.equal(null);
      form.remove();
    }
  });

  it('the line that builds trust stands on the first step by an attribute alone', async () => {
    const form = await open({'trust-line': 'Rated 4.9', style: reserved});
    expect(server.configRequests).to.equal(0);
    expect(text(form)).to.contain('3 short steps. No credit check. Rated 4.9 Next');
    await goTo(form, 'Cash');
    expect(text(form)).not.to.contain('Rated 4.9');
  });
});
