/** How the form goes from field to field and from step to step: where the focus is, and what the visitor sees. */
import {expect} from '@open-wc/testing';
import {sendKeys, setViewport} from '@web/test-runner-commands';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {describeExceptWebKit, itExceptWebKit} from '../../support/browser/drivers.ts';
import {useServer} from '../../support/browser/fake-server.ts';
import {stub} from '../../support/browser/browser-page.ts';
import {until} from '../../support/until.ts';
import {
  announced,
  button,
  choose,
  chooseScore,
  click,
  description,
  errors,
  field,
  fill,
  fillContact,
  fillFunds,
  focused,
  goTo,
  heading,
  open,
  openFilled,
  send,
  shows,
  summary,
  text,
  touch,
  type Attributes,
} from '../../support/browser/visitor.ts';

const press = (key: string) => sendKeys({press: key});
/** Its first step has the most fields. */
const contactFirst = {order: 'contact-first'};

describe('moving through the form', () => {
  const server = useServer();

  describe('a double click', () => {
    const doublePress = async (form: LeadPrequalForm, name: string, presses: readonly PointerEventInit[]) => {
      const main = button(form, name);
      for (const press of presses) {
        main.dispatchEvent(new PointerEvent('click', {...press, bubbles: true, cancelable: true}));
        await form.updateComplete;
      }
    };
    const doubleClick = [{detail: 1}, {detail: 2}];

    for (const [what, presses] of [
      ['a double click', doubleClick],
      ['a double tap that the browser does not count', [{pointerType: 'touch'}, {pointerType: 'touch'}]],
    ] as const) {
      it(`${what} on Next shows the next step without errors`, async () => {
        const form = await open(contactFirst);
        await fillContact(form);
        await doublePress(form, 'Next', presses);
        expect(heading(form)).to.equal('Step 2 of 3 Credit history');
        expect(errors(form)).to.deep.equal([]);
      });
    }

    it('on Next does not send a last step that is filled in already', async () => {
      const form = await openFilled(contactFirst);
      await click(form, 'Back');
      await doublePress(form, 'Next', doubleClick);
      expect(heading(form)).to.equal('Step 3 of 3 Your funds');
      expect(server.leads).to.have.length(0);
    });

    it('two presses that are no double click both count, however fast they are', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      await doublePress(form, 'Next', [{detail: 1}, {detail: 1}]);
      expect(errors(form)).to.deep.equal(['Choose your credit score. A guess is fine.']);
    });
  });

  describe('an answer about a bankruptcy', () => {
    /** The timers of a tap, which run when the test says so. */
    const timers: (() => void)[] = [];
    const pass = (form: LeadPrequalForm) => {
      timers.splice(0).forEach((run) => run());
      return form.updateComplete;
    };
    beforeEach(() => {
      const real = window.setTimeout.bind(window);
      const kept = (run: () => void, ms?: number) => (ms === 250 ? timers.push(run) && 0 : real(run, ms));
      stub(window, 'setTimeout', {value: kept, writable: true});
    });

    const send = (form: LeadPrequalForm, event: Event) => field(form, 'Yes').labels![0]!.dispatchEvent(event);
    const composed = {bubbles: true, composed: true};
    const tap = (form: LeadPrequalForm, label = 'Yes') => {
      send(form, new PointerEvent('pointerdown', composed));
      field(form, label).click();
    };
    const said = (form: LeadPrequalForm) => text(form).includes('A tap or click goes on.');

    type Row = [what: string, goesOn: boolean, act: (form: LeadPrequalForm) => unknown, Attributes?];
    const rows: Row[] = [
      ['a tap', true, tap],
      ['a tap, and another one at once', true, (form) => (tap(form, 'No'), tap(form))],
      ['a tap in the contact-first order', true, tap, contactFirst],
      ['a click without a pointer', false, (form) => field(form, 'No').click()],
      [
        'a key after a press of a pointer',
        false,
        (form) => {
          send(form, new PointerEvent('pointerdown', composed));
          send(form, new KeyboardEvent('keydown', {key: ' ', ...composed}));
          field(form, 'Yes').click();
        },
      ],
      [
        'a tap after Back',
        false,
        (form) => click(form, 'Next').then(() => click(form, 'Back').then(() => tap(form))),
      ],
      ['a tap with advance="button"', false, tap, {advance: 'button'}],
      ['a tap on a single page', false, tap, {layout: 'single'}],
    ];
    for (const [what, goesOn, act, attributes] of rows) {
      it(`${goesOn ? 'goes on' : 'waits for the button'} by ${what}`, async () => {
        const form = await open(attributes);
        if (attributes === contactFirst) await goTo(form, 'Yes');
        await chooseScore(form);
        await pass(form);
        expect(said(form), 'before it').to.equal(!/advance|single/.test(what));
        const title = heading(form);
        await act(form);
        await form.updateComplete;
        if (what.includes('Back')) expect(said(form)).to.equal(false);
        expect(heading(form), 'the answer is seen first').to.equal(title);
        await pass(form);
        expect(heading(form).includes('Your funds')).to.equal(goesOn);
        if (!goesOn) return;
        expect(focused(form)?.textContent).to.contain('Your funds');
        const {style} = form.shadowRoot!.querySelector('form')!;
        expect(style.pointerEvents, 'for the second half of a double tap').to.equal('none');
        await pass(form);
        expect(style.pointerEvents).to.equal('');
      });
    }

    it('waits for the score, without an error', async () => {
      const form = await open(contactFirst);
      await goTo(form, 'Yes');
      tap(form);
      await pass(form);
      expect([heading(form), errors(form)]).to.deep.equal(['Step 2 of 3 Credit history', []]);
    });
  });

  describe('Enter', () => {
    it('goes to the next field that is empty, and checks the field that it leaves', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'Email', 'maria@example.com');
      fill(form, 'First name', 'Maria');
      await press('Enter');
      expect(focused(form)).to.equal(field(form, 'Last name'));
      await press('Enter');
      expect(focused(form), 'past the e-mail, which is filled in').to.equal(field(form, 'Phone'));
      expect(errors(form), 'an empty field is no error yet').to.deep.equal([]);
      fill(form, 'Email', 'maria');
      await press('Enter');
      await form.updateComplete;
      expect(errors(form)).to.deep.equal(['Enter an email address like name@example.com.']);
      expect(summary(form)).to.deep.equal([]);
    });

    it('in the last field shows what is wrong with the page', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'Phone', '415');
      await press('Enter');
      await shows(form, 'Please check your answers');
      expect(summary(form)).to.have.length(4);
    });

    it('in any field goes on if no field is empty', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      field(form, 'First name').focus();
      await press('Enter');
      await shows(form, 'Credit history');
    });

    it('goes on although an optional choice is open', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      await click(form, 'Next');
      field(form, 'Above 720 Excellent').focus();
      await press(' ');
      await press('Enter');
      await shows(form, 'Your funds');
    });

    it('goes to the next empty field once the file of the touched form has arrived', async () => {
      const form = await open(contactFirst);
      fill(form, 'First name', 'Maria');
      const enter = {key: 'Enter', bubbles: true, composed: true};
      field(form, 'First name').dispatchEvent(new KeyboardEvent('keydown', enter));
      button(form, 'Next').click();
      await until(() => focused(form) === field(form, 'Last name'));
      expect(errors(form)).to.deep.equal([]);
    });

    itExceptWebKit('that is held down counts once', async () => {
      const form = await open(contactFirst);
      await touch(form);
      fill(form, 'First name', 'Maria');
      await sendKeys({down: 'Enter'});
      const held = new KeyboardEvent('keydown', {
        key: 'Enter',
        repeat: true,
        bubbles: true,
        composed: true,
        cancelable: true,
      });
      focused(form)?.dispatchEvent(held);
      await sendKeys({up: 'Enter'});
      expect(held.defaultPrevented).to.be.true;
      expect(focused(form)).to.equal(field(form, 'Last name'));
    });
  });

  describe('a single error', () => {
    it('gets the focus, and no summary repeats it', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      fill(form, 'Email', 'maria');
      await click(form, 'Next');
      expect(focused(form)).to.equal(field(form, 'Email'));
      expect(description(form, field(form, 'Email'))).to.equal(
        'Enter an email address like name@example.com.',
      );
      expect(summary(form)).to.deep.equal([]);
    });

    it('is announced if its field has the focus already', async () => {
      const form = await open(contactFirst);
      await fillContact(form);
      fill(form, 'Phone', '415');
      await press('Enter');
      await form.updateComplete;
      expect(focused(form)).to.equal(field(form, 'Phone'));
      expect(announced(form)).to.equal(
        'Enter a US number like (415) 555\u20110132, or begin with + and the country code.',
      );
    });
  });

  describeExceptWebKit('what the visitor sees', () => {
    const {innerWidth: width, innerHeight: height} = window;
    const phone = {width: 360, height: 640};
    afterEach(() => setViewport({width, height}));

    /** Opens a form with much of the page above and below it. */
    async function openWithin(viewport: {width: number; height: number}, scrolled: number) {
      await setViewport(viewport);
      const form = await open(contactFirst);
      form.parentElement?.style.setProperty('padding-block', '2000px');
      scrollTo({top: scrolled, behavior: 'instant'});
      return form;
    }

    const box = (form: LeadPrequalForm, selector = '.card') =>
      form.shadowRoot!.querySelector(selector)!.getBoundingClientRect();

    const isSeen = ({top, bottom}: DOMRect) => top >= 0 && bottom <= innerHeight;

    it('each step and the result begin at the top of a phone’s screen', async () => {
      const form = await openWithin(phone, 2000);
      await fillContact(form);
      button(form, 'Next').scrollIntoView({block: 'end'});
      await click(form, 'Next');
      expect(box(form).top).to.be.within(0, 40);
      await choose(form, 'Above 720 Excellent');
      button(form, 'Next').scrollIntoView({block: 'start'});
      await click(form, 'Next');
      expect(box(form).top).to.be.within(0, 40);
      await fillFunds(form);
      button(form, 'See my estimate').scrollIntoView({block: 'start'});
      await send(form);
      expect(box(form).top).to.be.within(-10, 40);
      expect(isSeen(box(form, 'h2'))).to.be.true;
    });

    it('a step leaves room for a header of the page that stays on top', async () => {
      document.documentElement.style.scrollPaddingTop = '80px';
      const form = await openWithin(phone, 2000);
      await fillContact(form);
      button(form, 'Next').scrollIntoView({block: 'end'});
      await click(form, 'Next');
      document.documentElement.style.scrollPaddingTop = '';
      expect(box(form).top).to.be.within(80, 120);
    });

    it('a step begins below a sticky header that the page does not declare', async () => {
      const form = await openWithin(phone, 2000);
      const header = document.createElement('header');
      header.style.cssText =
        'position: fixed; inset: 0 0 auto; block-size: 90px; background: #ddd; z-index: 9';
      document.body.append(header);
      await fillContact(form);
      button(form, 'Next').scrollIntoView({block: 'end'});
      await click(form, 'Next');
      header.remove();
      expect(box(form, 'h2').top).to.be.within(90, 150);
    });

    it('nothing scrolls while the whole card is on the screen', async () => {
      const form = await openWithin({width: 1280, height: 900}, 1850);
      await fillContact(form);
      await click(form, 'Next');
      await choose(form, 'Above 720 Excellent');
      await click(form, 'Next');
      await click(form, 'Back');
      expect(scrollY).to.equal(1850);
    });

    it('the summary of errors and the first wrong field are on a phone’s screen at the same time', async () => {
      const form = await openWithin(phone, 2000);
      button(form, 'Next').scrollIntoView({block: 'end'});
      await click(form, 'Next');
      expect(isSeen(box(form, '.alert'))).to.be.true;
      expect(isSeen(box(form, '.field'))).to.be.true;
    });

    it('a field with a single error is on a phone’s screen with its label and its error', async () => {
      const form = await openWithin(phone, 2000);
      await fillContact(form);
      fill(form, 'First name', '');
      button(form, 'Next').scrollIntoView({block: 'start'});
      await click(form, 'Next');
      expect(isSeen(box(form, '.field'))).to.be.true;
    });
  });
});
