/** Every state of the form that a visitor can see, and how a test brings the form there. */
import {amountParts} from '../../../contract/amounts.ts';
import {tableOf} from '../../../contract/table-of.ts';
import {questionNames} from '../../../contract/questions.ts';
import {askedFieldsIn} from '../../../form/words/asked.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {until} from '../until.ts';
import {Clock} from './clock.ts';
import {answer, config, created, json, problem, type FakeServer} from './fake-server.ts';
import {
  button,
  choose,
  chooseScore,
  click,
  field,
  fill,
  fillAll,
  fillContact,
  fillFunds,
  goTo,
  open,
  send,
  shows,
  showsConfigured,
  type Attributes,
} from './visitor.ts';

const links = {
  'privacy-href': 'https://example.com/privacy',
  'cta-href': 'https://example.com/call',
  'cta-label': 'Talk to a specialist',
};
const slots = '<h1 slot="heading">Funding</h1><p slot="intro">Intro.</p><p slot="disclaimer">Terms.</p>';
const contactFirst = {order: 'contact-first'};
const consent = 'I agree to be called about my estimate.';
const withLinks =
  'With {button} I accept the [Terms](https://example.com/terms) and the [policy](https://example.com/policy).';
const noAmounts = {prequalification: null, reasons: {}};

export type State = {
  attributes?: Attributes;
  server?: (server: FakeServer) => void;
  reach?: (form: LeadPrequalForm) => Promise<unknown>;
};

const toResult = async (form: LeadPrequalForm) => {
  await fillAll(form);
  await send(form);
};

export const states: Record<string, State> = {
  'the first step': {},
  'errors of the first step': {reach: (form) => click(form, 'Next')},
  'the first step, which asks about a bankruptcy': {
    async reach(form) {
      await chooseScore(form);
      await choose(form, 'Rather not say');
    },
  },
  'the second step': {
    async reach(form) {
      await goTo(form, 'Cash');
      await click(form, '$50k for Cash');
    },
  },
  'errors of the second step': {
    async reach(form) {
      await goTo(form, 'Cash');
      fill(form, 'Cash', 'some');
      await click(form, 'Next');
    },
  },
  'a question about thousands': {
    async reach(form) {
      await goTo(form, 'Cash');
      await fillFunds(form);
      fill(form, 'Cash', '50');
      await click(form, 'Next');
    },
  },
  'the third step': {reach: fillAll},
  'errors of the third step': {
    async reach(form) {
      await goTo(form, 'First name');
      fill(form, 'Phone', '12');
      await click(form, 'See my estimate');
    },
  },
  'contact first, errors of the first step': {
    attributes: contactFirst,
    reach: (form) => click(form, 'Next'),
  },
  'contact first, the second step': {
    attributes: contactFirst,
    async reach(form) {
      await goTo(form, 'Yes');
      await choose(form, '680 to 720 Good');
      await choose(form, 'Rather not say');
    },
  },
  'contact first, errors of the second step': {
    attributes: contactFirst,
    async reach(form) {
      await goTo(form, 'Yes');
      await click(form, 'Next');
    },
  },
  'the single page': {attributes: {layout: 'single'}},
  'errors of the single page': {
    attributes: {layout: 'single'},
    reach: (form) => click(form, 'See my estimate'),
  },
  ...Object.fromEntries(
    (['steps', 'single'] as const).map((layout): [string, State] => [
      `what a partner asks for besides, with an error, ${layout}`,
      {
        attributes: {layout, style: 'min-height: 1500px'},
        server: (server) =>
          (server.config = ({searchParams}) =>
            config({
              ask: askedFieldsIn(questionNames, searchParams.get('lang') ?? 'en'),
              call_promise: {en: 'We call within a day.', es: 'Le llamamos en un día.'},
            })),
        async reach(form) {
          await fillAll(form);
          await showsConfigured(form, 'State');
          fill(form, 'Anything else we should know? (optional)', 'n'.repeat(2_001));
          await click(form, 'See my estimate');
        },
      },
    ]),
  ),
  sending: {
    server: (server) => server.delayReply(),
    async reach(form) {
      await fillAll(form);
      button(form, 'See my estimate').click();
      await shows(form, 'Sending…');
    },
  },
  'the result': {reach: toResult},
  'a result that is explained': {
    server(server) {
      server.config = () => config({next_step: {und: '{phone}'}});
      server.reply(() =>
        created({
          explanation: {
            rounding_increment: 1_000,
            parts: {
              rollover_amount: {method: 'whole_balance'},
              sba_qualified_amount: {method: 'down_payment', percent: 20},
            },
          },
        }),
      );
    },
    async reach(form) {
      await toResult(form);
      await click(form, 'Start over');
    },
  },
  'a result of nothing': {
    server: (server) =>
      server.reply(() =>
        created({
          prequalification: {
            first_name: 'Maria',
            ...tableOf(amountParts, () => 0),
            total_qualified_amount: 0,
          },
          reasons: {rollover_amount: 'below_minimum', sba_qualified_amount: 'bankruptcy'},
        }),
      ),
    reach: toResult,
  },
  pending: {
    server: (server) => server.reply(() => created({...noAmounts, status: 'pending'})),
    reach: toResult,
  },
  ...Object.fromEntries(
    Object.entries({
      'a consent text': {required: false, text: consent},
      'a consent box': {required: true, text: consent},
      'a long consent text': {required: false, text: `${consent} `.repeat(20)},
      'a long consent box': {required: true, text: `${consent} `.repeat(20)},
      'a consent text with links': {required: false, text: `${consent} ${withLinks}`, lang: 'en'},
      'a consent box with links': {required: true, text: `${consent} ${withLinks}`, lang: 'en'},
    }).map(([name, text]): [string, State] => [
      name,
      {
        attributes: {'lead-type': 'standard', style: 'min-height: 1500px'},
        server: (server) => (server.config = () => config({consent: {...text, version: '1'}})),
        async reach(form) {
          await until(() => getComputedStyle(button(form, 'Send')).visibility === 'visible');
          // A text that would move what stands below it is shown only now, when the visitor is in a field.
          await fillContact(form);
          await showsConfigured(form, consent);
          if (text.required) await click(form, 'Send');
        },
      },
    ]),
  ),
  'a consent text that changed': {
    attributes: {style: 'min-height: 1500px'},
    server(server) {
      server.config = () => config({consent: {text: consent, version: '1', required: true}});
      server.reply(() => problem(422, 'consent-outdated'));
    },
    async reach(form) {
      await fillAll(form);
      await showsConfigured(form, consent);
      field(form, consent).click();
      await send(form);
    },
  },
  ...Object.fromEntries(
    Object.entries({
      'pending for too long': [() => problem(404, 'not-found'), 'too long to wait for'],
      'a result that came late': [() => json(200, answer()), '$830,000'],
    } as const).map(([name, [result, shown]]): [string, State] => [
      name,
      {
        server(server) {
          server.reply(() => created({...noAmounts, status: 'pending'}));
          server.result = result;
        },
        async reach(form) {
          const clock = new Clock();
          await toResult(form);
          await clock.pass(2_000);
          clock.restore();
          await shows(form, shown);
        },
      },
    ]),
  ),
  'a result after a reload': {
    server: () => sessionStorage.setItem('lead-prequal:acme:prequalification', JSON.stringify(answer())),
    reach: (form) => shows(form, 'this page forgets what you typed'),
  },
  refused: {
    server: (server) => server.reply(() => created({...noAmounts, status: 'refused'})),
    reach: toResult,
  },
  thanks: {
    attributes: {'lead-type': 'standard'},
    server: (server) => server.reply(() => created(noAmounts)),
    async reach(form) {
      await fillContact(form);
      await send(form, 'Send');
    },
  },
  'a failure': {server: (server) => server.reply(() => problem(500, 'internal')), reach: toResult},
  'too many requests': {
    server: (server) => server.reply(() => problem(429, 'too-many-requests')),
    reach: toResult,
  },
};

/** Opens a form with all its links and slots, and brings it into a state. */
export async function openState(state: State, server: FakeServer, attributes: Attributes = {}) {
  state.server?.(server);
  const form = await open({...links, ...state.attributes, ...attributes}, slots);
  await state.reach?.(form);
  await form.updateComplete;
  return form;
}
