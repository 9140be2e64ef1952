/** Tests the markup of every state of the form, and its colours in both themes, with axe and by the rules of ARIA. */
import {expect} from '@open-wc/testing';
import {useServer} from '../support/browser/fake-server.ts';
import {openState, states} from '../support/browser/states.ts';

/** Loaded by `accessible()`. */
declare const axe: {getRules(): {ruleId: string}[]};

/** A colour between two others, during a transition, need not have enough contrast. */
const still = new CSSStyleSheet();
still.replaceSync('* {transition: none !important}');

describe('each state', () => {
  const server = useServer();
  beforeEach(() => (document.body.style.background = 'Canvas'));
  afterEach(() => {
    document.documentElement.style.colorScheme = '';
    document.body.style.background = '';
  });

  for (const [name, state] of Object.entries(states)) {
    it(`has no fault that axe finds, one live region, and no id twice or missing: ${name}`, async () => {
      document.documentElement.style.colorScheme = 'light';
      const form = await openState(state, server, {theme: 'light'});
      form.shadowRoot!.adoptedStyleSheets.push(still);
      await expect(form).to.be.accessible();

      // A theme changes nothing but colours.
      document.documentElement.style.colorScheme = 'dark';
      form.setAttribute('theme', 'dark');
      await form.updateComplete;
      const others = axe.getRules().flatMap(({ruleId}) => (ruleId === 'color-contrast' ? [] : [ruleId]));
      await expect(form).to.be.accessible({ignoredRules: others});

      const root = form.shadowRoot!;
      expect(root.querySelectorAll('[role=status]').length).to.equal(1);
      expect(root.querySelectorAll('[aria-live], [role=alert], [role=log]').length).to.equal(0);

      const ids = [...root.querySelectorAll('[id]')].map(({id}) => id);
      expect(ids).to.deep.equal([...new Set(ids)]);
      for (const attribute of ['aria-describedby', 'aria-labelledby', 'for']) {
        for (const element of root.querySelectorAll(`[${attribute}]`)) {
          for (const id of element.getAttribute(attribute)!.split(' ')) expect(ids).to.include(id);
        }
      }
    });
  }
});
