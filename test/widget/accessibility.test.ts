import {expect} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {Clock} from './support/clock.ts';
import {answer, config, created, FakeServer, json, problem} from './support/fake-server.ts';
import {
  button,
  choose,
  click,
  field,
  fill,
  fillAll,
  fillContact,
  open,
  send,
  shows,
  type Attributes,
} from './support/visitor.ts';

const everything = {
  'privacy-href': 'https://example.com/privacy',
  'cta-href': 'https://example.com/call',
  'cta-label': 'Talk to a specialist',
};
const slots = '<h1 slot="heading">Funding</h1><p slot="intro">Intro.</p><p slot="disclaimer">Terms.</p>';
const consent = 'I agree to be called about my estimate.';
const noAmounts = {prequalification: null, reasons: {}};

type State = {
  attributes?: Attributes;
  server?: (server: FakeServer) => void;
  reach?: (form: LeadPrequalForm) => Promise<unknown>;
};

const toThird = async (form: LeadPrequalForm) => {
  await fillAll(form);
};
const toEnd = async (form: LeadPrequalForm) => {
  await fillAll(form);
  await send(form);
};

/** Every state that a visitor can meet. */
const states: Record<string, State> = {
  'the first step': {},
  'errors of the first step': {reach: (form) => click(form, 'Next')},
  'the second step': {
    async reach(form) {
      await fillContact(form);
      await click(form, 'Next');
      await choose(form, '680 to 720 Good');
      await choose(form, 'Rather not say');
    },
  },
  'errors of the second step': {
    async reach(form) {
      await fillContact(form);
      await click(form, 'Next');
      await click(form, 'Next');
    },
  },
  'the third step': {reach: toThird},
  'errors of the third step': {
    async reach(form) {
      await toThird(form);
      fill(form, 'Cash', 'some');
      fill(form, 'Investments', '');
      await click(form, 'See my estimate');
    },
  },
  'the single page': {attributes: {layout: 'single'}},
  'errors of the single page': {
    attributes: {layout: 'single'},
    reach: (form) => click(form, 'See my estimate'),
  },
  sending: {
    server: (server) => server.hold(),
    async reach(form) {
      await toThird(form);
      button(form, 'See my estimate').click();
      await shows(form, 'Sending…');
    },
  },
  'the result': {reach: toEnd},
  'a result of nothing': {
    server: (server) =>
      server.reply(() =>
        created({
          prequalification: {
            first_name: 'Maria',
            rollover_amount: 0,
            sba_qualified_amount: 0,
            unsecured_amount: 0,
            portfolio_loan_qualified_amount: 0,
            total_qualified_amount: 0,
          },
          reasons: {rollover_amount: 'below_minimum', sba_qualified_amount: 'bankruptcy'},
        }),
      ),
    reach: toEnd,
  },
  pending: {server: (server) => server.reply(() => created({...noAmounts, status: 'pending'})), reach: toEnd},
  ...Object.fromEntries(
    Object.entries({
      'a consent text': {required: false, text: consent},
      'a consent box': {required: true, text: consent},
      'a long consent text': {required: false, text: `${consent} `.repeat(20)},
      'a long consent box': {required: true, text: `${consent} `.repeat(20)},
    }).flatMap(([name, text]) =>
      (['steps', 'single'] as const).map((layout): [string, State] => [
        `${name}, ${layout}`,
        {
          attributes: {layout, 'lead-type': 'standard'},
          server: (server) => (server.config = () => config({consent: {...text, version: '1'}})),
          async reach(form) {
            await fillContact(form);
            await shows(form, consent);
            if (text.required) await click(form, 'Send');
          },
        },
      ]),
    ),
  ),
  'a consent text that changed': {
    server(server) {
      server.config = () => config({consent: {text: consent, version: '1', required: true}});
      server.reply(() => problem(422, 'consent-outdated'));
    },
    async reach(form) {
      await toThird(form);
      await shows(form, consent);
      field(form, consent).click();
      await send(form);
    },
  },
  'pending for too long': {
    server(server) {
      server.reply(() => created({...noAmounts, status: 'pending'}));
      server.result = () => problem(404, 'not-found');
    },
    async reach(form) {
      const clock = new Clock();
      await toEnd(form);
      await clock.pass(2_000);
      clock.restore();
      await shows(form, 'longer than we want to keep you waiting');
    },
  },
  'a result that came late': {
    server(server) {
      server.reply(() => created({...noAmounts, status: 'pending'}));
      server.result = () => json(200, answer());
    },
    async reach(form) {
      const clock = new Clock();
      await toEnd(form);
      await clock.pass(2_000);
      clock.restore();
      await shows(form, '$830,000');
    },
  },
  'a result after a reload': {
    server: () => sessionStorage.setItem('lead-prequal:acme:prequalification', JSON.stringify(answer())),
    reach: (form) => shows(form, 'this page does not keep what you typed'),
  },
  refused: {server: (server) => server.reply(() => created({...noAmounts, status: 'refused'})), reach: toEnd},
  thanks: {
    attributes: {'lead-type': 'standard'},
    server: (server) => server.reply(() => created(noAmounts)),
    async reach(form) {
      await fillContact(form);
      await send(form, 'Send');
    },
  },
  'a failure': {server: (server) => server.reply(() => problem(500, 'internal')), reach: toEnd},
  'too many requests': {
    server: (server) => server.reply(() => problem(429, 'too-many-requests')),
    reach: toEnd,
  },
};

describe('axe finds nothing to complain about', () => {
  let server: FakeServer;
  beforeEach(() => (server = new FakeServer()));
  afterEach(() => {
    server.restore();
    document.documentElement.style.colorScheme = '';
    document.body.style.background = '';
  });

  for (const theme of ['light', 'dark']) {
    for (const [name, {attributes, server: prepare, reach}] of Object.entries(states)) {
      it(`in ${name}, ${theme}`, async () => {
        prepare?.(server);
        const form = await open({...everything, ...attributes, theme}, slots);
        document.documentElement.style.colorScheme = theme;
        document.body.style.background = 'Canvas';
        await reach?.(form);
        await form.updateComplete;
        await expect(form).to.be.accessible();
      });
    }
  }
});

describe('the looks', () => {
  const paper = (form: LeadPrequalForm) =>
    getComputedStyle(form.shadowRoot!.querySelector('.card')!).backgroundColor;
  const white = 'rgb(255, 255, 255)';

  afterEach(() => (document.documentElement.style.colorScheme = ''));

  it('follow the colour scheme of the page, not of the system, unless told otherwise', async () => {
    document.documentElement.style.colorScheme = 'light';
    expect(paper(await open())).to.equal(white);
    expect(paper(await open({theme: 'dark'}))).not.to.equal(white);
    document.documentElement.style.colorScheme = 'dark';
    expect(paper(await open())).not.to.equal(white);
    expect(paper(await open({theme: 'light'}))).to.equal(white);
  });

  it('fit a sidebar of 320 px, and one of 240 px, without scrolling sideways', async () => {
    for (const width of [320, 240]) {
      const form = await open({layout: 'single'});
      form.style.inlineSize = `${width}px`;
      expect(form.scrollWidth, `${width} px`).to.be.at.most(width);
      const card = form.shadowRoot!.querySelector('.card')!;
      expect(card.scrollWidth, `${width} px`).to.be.at.most(width);
    }
  });

  it('give every control a target of 44 px and every input a text of 16 px', async () => {
    const form = await open({layout: 'single'});
    form.style.fontSize = '12px';
    for (const control of form.shadowRoot!.querySelectorAll<HTMLElement>(
      'input:not([type=radio]), button, .option',
    )) {
      expect(control.offsetHeight, control.outerHTML).to.be.at.least(44);
      expect(control.offsetWidth, control.outerHTML).to.be.at.least(44);
    }
    for (const input of form.shadowRoot!.querySelectorAll('input:not([type=radio])')) {
      expect(parseFloat(getComputedStyle(input).fontSize)).to.be.at.least(16);
    }
  });
});
