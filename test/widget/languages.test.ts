/**
 * Tests that each word of the form, in every state and language, is a word of the language or of visitor or partner.
 */
import {expect} from '@open-wc/testing';
import {amountParts, reasons} from '../../contract/amounts.ts';
import {questionNames} from '../../contract/questions.ts';
import type {LeadPrequalForm} from '../../widget/define.ts';
import {formatMoney} from '../../form/format-money.ts';
import {askedFieldsIn} from '../../form/words/asked.ts';
import {languages, sandboxes, type LanguageTag} from '../../form/words/languages.ts';
import {hearConsole} from '../support/browser/browser-page.ts';
import {amounts, created, problem, useServer} from '../support/browser/fake-server.ts';
import {openState, states, type State} from '../support/browser/states.ts';
import {click, fill, fillAll, fillContact, focused, send, shows, touch} from '../support/browser/visitor.ts';
import {until} from '../support/until.ts';

const sentWith = (reply: () => Response | Promise<Response>): State => ({
  server: (server) => server.reply(reply),
  async reach(form) {
    await fillAll(form);
    await send(form);
  },
});

const all: Readonly<Record<string, State>> = {
  ...states,
  'a sample': {attributes: {sandbox: ''}},
  'a suggestion for the email': {
    attributes: {order: 'contact-first'},
    async reach(form) {
      await touch(form);
      fill(form, 'Email', 'maria@gmial.com');
      focused(form)?.blur();
      fill(form, 'Phone', '');
      await shows(form, 'maria@gmail.com');
    },
  },
  'values that are not valid': {
    attributes: {order: 'contact-first'},
    async reach(form) {
      await fillContact(form);
      fill(form, 'First name', 'x'.repeat(81));
      fill(form, 'Email', 'x');
      fill(form, 'Phone', '1');
      await click(form, 'Next');
    },
  },
  'amounts that are not valid': {
    attributes: {order: 'contact-first'},
    async reach(form) {
      await fillAll(form);
      fill(form, 'Retirement funds', '-5');
      fill(form, 'Cash', '9'.repeat(12));
      fill(form, 'Investments', '5x');
      await click(form, 'See my estimate');
    },
  },
  'a request that is still being worked on': sentWith(() => problem(409, 'idempotency-key-in-progress')),
  'a page that is not allowed': sentWith(() => problem(403, 'origin-not-allowed')),
  'a lost connection': sentWith(() => Promise.reject(new TypeError('Failed to fetch'))),
  ...Object.fromEntries(
    reasons.map((reason) => [
      `amounts of zero because of ${reason}`,
      sentWith(() =>
        created({
          prequalification: {...amounts, ...Object.fromEntries(amountParts.map((part) => [part, 0]))},
          reasons: Object.fromEntries(amountParts.map((part) => [part, reason])),
        }),
      ),
    ]),
  ),
};

const wordsIn = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? [];

const textsIn = (words: object): string[] =>
  Object.values(words).flatMap((text) =>
    typeof text === 'object' ? textsIn(text as object) : [String(text)],
  );

/** Texts that the visitor types and that the partner configures. */
const data = 'Maria maria@example.com maria@gmail.com Talk to a specialist Le llamamos en un día';

/** The words that are shown, or that a screen reader reads, outside of the partner's consent text. */
function shownWords(form: LeadPrequalForm) {
  const shown: string[] = [];
  const walker = document.createTreeWalker(form.shadowRoot!, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Element) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
        shown.push(...wordsIn(node.getAttribute(name) ?? ''));
    } else if (!node.parentElement?.closest('[part=consent]:not(a), style')) {
      shown.push(...wordsIn(node.nodeValue ?? ''));
    }
  }
  return shown;
}

for (const tag of Object.keys(languages) as LanguageTag[]) {
  const {firstScreen, afterTouch} = await languages[tag]();
  describe(`the form in the language "${tag}"`, () => {
    // Some languages write the currency in letters.
    const money = formatMoney(0, firstScreen.locale);
    const known = new Set(
      [firstScreen, afterTouch, sandboxes[tag], {data, money, asked: askedFieldsIn(questionNames, tag)}]
        .flatMap(textsIn)
        .flatMap(wordsIn),
    );
    const server = useServer();
    // The console explains some failures to the developer of the page, in English.
    hearConsole();

    const foreignWords = (form: LeadPrequalForm) => shownWords(form).filter((word) => !known.has(word));

    for (const [name, state] of Object.entries(all)) {
      it(`shows no word of another language in the state "${name}"`, async () => {
        const form = await openState(state, server);
        expect(foreignWords(form), 'in English').not.to.deep.equal([]);
        form.lang = tag;
        await until(() => foreignWords(form).length === 0).catch(() => {});
        expect(foreignWords(form)).to.deep.equal([]);
      });
    }
  });
}
