/** Tests that docs/widget.md lists what the form renders, reads and sends in all its states, and nothing else. */
import {defaultPolicy, figuresOf} from '../../calculator/policy.ts';
import {aboutLines} from '../../contract/embed.ts';
import {expect} from '@open-wc/testing';
import {LeadPrequalForm} from '../../widget/define.ts';
import {FakeServer, config, created, problem} from '../support/browser/fake-server.ts';
import {restorePage, stub} from '../support/browser/browser-page.ts';
import {faultsOf} from '../support/markup.ts';
import {
  choose,
  click,
  field,
  fill,
  fillContact,
  listen,
  open,
  openFilled,
  reserved,
  send,
  shows,
} from '../support/browser/visitor.ts';

const reference = await (await fetch('/docs/widget.md')).text();

/** The names of a list, or with `of` what else its lines have. */
function listed(list: string, of = /^- `([^`]+)`/): string[] {
  const [, lines = ''] = new RegExp(`<!-- table: ${list} -->([^]*?)<!-- /table -->`).exec(reference) ?? [];
  return lines
    .trim()
    .split('\n')
    .map((line) => of.exec(line)?.[1] ?? '');
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

describe('the reference lists', () => {
  const server = new FakeServer();
  const parts = new Set<string>();
  const slots = new Set<string>();
  const read = new Set<string>();
  const faults = new Set<string>();
  const states = new Set<string>();
  let buttons = 0;
  let css = '';
  let events: ReturnType<typeof listen>;

  function look(form: LeadPrequalForm) {
    const root = form.shadowRoot;
    for (const element of root?.querySelectorAll('[part]') ?? []) {
      for (const part of element.part) parts.add(part);
    }
    for (const slot of root?.querySelectorAll('slot') ?? []) slots.add(slot.name);
    for (const element of root?.querySelectorAll('*') ?? []) {
      if (element instanceof HTMLButtonElement) buttons += 1;
      const attribute = (name: string) => Element.prototype.getAttribute.call(element, name);
      for (const fault of faultsOf({name: element.localName, attribute})) faults.add(fault);
    }
    const rules = [...(root?.adoptedStyleSheets ?? [])].flatMap(({cssRules}) => [...cssRules]);
    css += rules.map(({cssText}) => cssText).join('\n');
  }

  before(async () => {
    server.start();
    server.config = () =>
      config({
        consent: {text: 'I agree.', version: '1', required: false},
        about: {lines: aboutLines.map((name) => ({name, text: 'We call within a day.'}))},
        estimate: figuresOf(defaultPolicy),
      });
    events = listen();
    for (const method of ['getAttribute', 'hasAttribute'] as const) {
      stub(LeadPrequalForm.prototype, method, {
        value(this: Element, name: string) {
          // The reference does not list `lang`, which every element has.
          if (name !== 'lang') read.add(name);
          return Element.prototype[method].bind(this)(name);
        },
      });
    }
    stub(CustomStateSet.prototype, 'add', {
      value: (name: string) => states.add(`:state(${name})`),
    });
    const unrendered = document.createElement('lead-prequal-form');
    document.body.append(unrendered);
    look(unrendered);
    unrendered.remove();
    const asked = await open({order: 'contact-first'});
    look(asked);
    await click(asked, 'Next');
    look(asked);
    await fillContact(asked);
    await click(asked, 'Next');
    look(asked);
    await choose(asked, 'Above 720 Excellent');
    look(asked);
    await click(asked, 'Next');
    fill(asked, 'Cash', '50');
    for (const label of ['Cash', 'Investments']) field(asked, label).focus();
    await shows(asked, '$50,000');
    look(asked);
    look(await open({sandbox: '', presentation: 'dialog'}));
    for (const reply of [
      () => problem(503, 'store-unavailable'),
      () => created(),
      () => created({status: 'pending', prequalification: null}),
      () => created({status: 'refused', prequalification: null}),
    ]) {
      server.reply(reply);
      // The form would otherwise find the receipt of the lead before and show its result.
      sessionStorage.clear();
      const sent = await openFilled({
        'cta-href': 'https://example.com/call',
        'cta-label': 'Call us',
        style: reserved,
      });
      await shows(sent, 'I agree.');
      look(sent);
      await send(sent);
      look(sent);
    }
  });

  after(() => {
    restorePage();
    server.restore();
  });

  it('buttons have a type, and what has a name or takes the focus has a role', () => {
    expect(buttons).to.be.above(10);
    expect([...faults]).to.deep.equal([]);
  });

  it('every attribute', () => {
    expect(sorted(listed('attributes'))).to.deep.equal(
      sorted([...LeadPrequalForm.observedAttributes, ...read]),
    );
  });

  it('every event', () => {
    expect(sorted(listed('events'))).to.deep.equal(sorted(events.map(({type}) => type)));
  });

  it('every slot', () => {
    expect(sorted(listed('slots'))).to.deep.equal(sorted(slots));
  });

  it('every custom state', () => {
    expect(sorted(listed('states'))).to.deep.equal(sorted(states));
  });

  it('every part', () => {
    expect(sorted(listed('parts'))).to.deep.equal(sorted(parts));
  });

  it('every custom property with its default', () => {
    const names = listed('colors');
    expect(sorted(names)).to.deep.equal(sorted(css.match(/--prequal-[\w-]+/g) ?? []));
    const rules = css.split(/[;{}]/);
    for (const [index, value] of listed('colors', /^- `[^`]+` \(`([^`]+)`\)/).entries()) {
      const uses = rules
        .map((rule) => rule.replace(/\(\s+/g, '('))
        .filter((rule) => rule.includes(`var(${names[index]},`));
      if (value)
        expect(
          uses.some((rule) => rule.includes(value)),
          `${names[index]}: ${value}`,
        ).to.be.true;
    }
  });
});
