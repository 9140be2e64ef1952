import {expect, oneEvent} from '@open-wc/testing';
import type {ConsentText, EmbedConfig} from '../../../contract/embed.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {privacySignal, restorePage, stub} from '../../support/browser/browser-page.ts';
import {config, created, problem, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  type Attributes,
  button,
  click,
  description,
  errors,
  field,
  fillAll,
  fillContact,
  focused,
  heading,
  maybeField,
  open,
  openFilled,
  part,
  place,
  reserved,
  send,
  shows,
  showsConfigured,
  text,
  touch,
} from '../../support/browser/visitor.ts';

const words = 'I agree to be called about my estimate.';
const textWithBox: ConsentText = {text: words, version: '2026-11', required: true};
const textAlone: ConsentText = {...textWithBox, required: false};
const unticked = 'Tick the box to show that you agree.';
const changed = 'Please read the new terms above the button.';

describe('consent', () => {
  const server = useServer();

  const reach = async (consent: ConsentText | null, attributes: Attributes = {}) => {
    server.config = () => config({consent});
    const form = await openFilled({style: reserved, ...attributes});
    if (consent) await shows(form, consent.text);
    return form;
  };

  it('a partner without a consent text gets leads without consent', async () => {
    const form = await reach(null);
    await send(form);
    expect(server.leads[0]!.body).not.to.have.property('consent');
  });

  it('a consent text is shown above the last button, and its version is sent', async () => {
    const form = await reach(textAlone);
    expect(maybeField(form, words)).to.equal(undefined);
    await send(form);
    expect(server.leads[0]!.body.consent).to.include({version: '2026-11', agreed: false});
    expect(server.leads[0]!.body.lead).not.to.have.property('consent');
  });

  it('a consent text is shown only on the last step', async () => {
    const form = await reach(textAlone);
    await click(form, 'Back');
    expect(text(form)).not.to.contain(words);
  });

  describe('under Global Privacy Control', () => {
    const said = "Your browser's opt-out signal is passed on.";
    beforeEach(() => privacySignal('globalPrivacyControl', true));
    afterEach(restorePage);

    for (const [what, consent] of Object.entries({'a consent text': textAlone, 'no text': null}))
      it(`the last step says, with ${what}, that the signal is passed on, and the lead has it`, async () => {
        const form = await reach(consent);
        await shows(form, said);
        await click(form, 'Back');
        expect(text(form)).not.to.contain(said);
        await click(form, 'Next');
        await send(form);
        expect(server.leads[0]!.body.opt_out_signal).to.equal('gpc');
      });

    it('the line waits for the next touch where it would move the page, as the consent text does', async () => {
      server.config = () => config({consent: null});
      const form = await open({'lead-type': 'standard', lang: 'es'});
      await touch(form);
      await until(() => button(form, 'Enviar').checkVisibility());
      const spanish = 'Transmitimos la señal de exclusión de su navegador.';
      expect(text(form)).not.to.contain(spanish);
      await showsConfigured(form, spanish);
    });
  });

  it('Do Not Track is no opt-out signal', async () => {
    privacySignal('doNotTrack', '1');
    const form = await reach(null);
    restorePage();
    expect(text(form)).not.to.contain('opt-out');
    await send(form);
    expect(server.leads[0]!.body).not.to.have.property('opt_out_signal');
  });

  it('a consent text that has the link to the privacy page needs no second one', async () => {
    const href = 'https://example.com/privacy';
    server.config = () =>
      config({consent: {...textWithBox, text: `I accept the [policy](${href}).`, lang: 'en'}});
    const form = await openFilled({style: reserved, 'privacy-href': href});
    await shows(form, 'I accept the policy.');
    const links = [...form.shadowRoot!.querySelectorAll('a')].filter((each) => each.checkVisibility());
    expect(links.map(({textContent}) => textContent)).to.deep.equal(['policy']);
  });

  it('required consent is a box that is not ticked, and without a tick nothing is sent', async () => {
    const form = await reach(textWithBox);
    const box = field(form, words);
    expect([box.type, box.checked, box.required]).to.deep.equal(['checkbox', false, true]);
    box.focus();
    button(form, 'See my estimate').focus();
    await form.updateComplete;
    await form.updateComplete;
    expect(errors(form), 'when the box is left').to.deep.equal([]);
    await click(form, 'See my estimate');
    expect(errors(form)).to.deep.equal([unticked]);
    expect(description(form, box)).to.equal(unticked);
    expect(box.getAttribute('aria-invalid')).to.equal('true');
    expect(server.leads).to.have.length(0);
    expect(focused(form)).to.equal(box);
    box.click();
    await form.updateComplete;
    expect(description(form, box), 'the error is taken back at once').to.equal('');
    await send(form);
    expect(server.leads[0]!.body.consent).to.include({version: '2026-11', agreed: true});
  });

  it('the consent box keeps its state when the visitor goes back and forth', async () => {
    const form = await reach(textWithBox);
    for (const expected of [true, false]) {
      field(form, words).click();
      await click(form, 'Back');
      await click(form, 'Next');
      expect(field(form, words).checked).to.equal(expected);
    }
  });

  it('a box that was ticked counts when the page of the form calls submit() from an earlier step', async () => {
    const form = await reach(textWithBox);
    field(form, words).click();
    await click(form, 'Back');
    const end = oneEvent(form, 'prequal-result');
    await form.submit();
    await end;
    expect(server.leads[0]!.body.consent).to.include({version: '2026-11', agreed: true});
  });

  it('the consent box keeps its value when the focus leaves it', async () => {
    const form = await reach(textWithBox);
    const box = field(form, words);
    box.focus();
    button(form, 'See my estimate').focus();
    await form.updateComplete;
    box.click();
    button(form, 'See my estimate').focus();
    await form.updateComplete;
    expect([box.value, box.checked]).to.deep.equal(['2026-11', true]);
  });

  it('a standard form asks for consent like any other', async () => {
    server.config = () => config({consent: textWithBox});
    server.reply(() => created({prequalification: null, reasons: {}}));
    const form = await open({'lead-type': 'standard', style: reserved});
    await fillContact(form);
    await shows(form, words);
    await click(form, 'Send');
    expect(errors(form)).to.deep.equal([unticked]);
    field(form, words).click();
    await send(form, 'Send');
    expect(heading(form)).to.equal('Thank you, Maria');
  });

  describe('a consent text that changed meanwhile', () => {
    for (const old of [textWithBox, textAlone]) {
      it(`is shown again, unticked, and everything typed stays (required: ${old.required})`, async () => {
        const form = await reach(old);
        if (old.required) field(form, words).click();
        const fresh = {...old, text: 'I agree to be called twice.', version: '2026-12'};
        server.reply(
          () => problem(422, 'consent-outdated'),
          () => created(),
        );
        server.config = () => config({consent: fresh});
        const {type, detail} = await send(form);
        expect([type, detail]).to.deep.equal(['prequal-error', {code: 'consent-outdated', retryable: true}]);
        expect(text(form)).to.contain(fresh.text).and.not.to.contain(words);
        expect(errors(form)).to.deep.equal([changed]);
        expect(field(form, 'Email').value).to.equal('maria@example.com');
        expect(focused(form)?.getAttribute('name')).to.equal('consent');
        if (old.required) {
          expect(field(form, fresh.text).checked).to.be.false;
          field(form, fresh.text).click();
        }
        expect((await send(form)).type).to.equal('prequal-result');
        expect(server.leads.map(({body}) => body.consent?.version)).to.deep.equal(['2026-11', '2026-12']);
        expect(server.leads[1]!.key).to.equal(server.leads[0]!.key);
      });
    }

    it('a lead is sent only twice if the server keeps answering that the consent is outdated', async () => {
      const form = await reach(textAlone);
      server.reply(() => problem(422, 'consent-outdated'));
      const {detail} = await send(form);
      expect(detail).to.deep.equal({code: 'consent-outdated', retryable: false});
      expect(server.leads).to.have.length(2);
    });
  });

  describe('a consent text that arrives late', () => {
    const delayConfig = (over: Partial<EmbedConfig>) => server.delayConfig(() => config(over));

    it('a lead is not sent before the consent text has arrived and could be read', async () => {
      const release = delayConfig({consent: textAlone});
      const form = await openFilled();
      const sent = send(form);
      await form.updateComplete;
      expect(text(form)).to.contain('Sending…');
      release();
      expect((await sent).detail).to.deep.equal({code: 'consent-outdated', retryable: true});
      expect(server.leads).to.have.length(0);
      expect(text(form)).to.contain(words);
      expect((await send(form)).type).to.equal('prequal-result');
    });

    const long = 'By ticking this box I agree to be called, also by machines, about my estimate. '.repeat(8);
    const texts: Record<string, ConsentText | null> = {
      none: null,
      'a short text': textAlone,
      'a box': textWithBox,
      'a long text': {...textAlone, text: long},
      'a long text with a box': {...textWithBox, text: long},
    };
    const onePage: Attributes[] = [{'lead-type': 'standard'}, {layout: 'single'}];

    const isShown = (element: Element) => getComputedStyle(element).visibility === 'visible';
    /** On the page, which a browser may still be scrolling to the field that has the focus. */
    const top = (element: Element) => element.getBoundingClientRect().top + scrollY;

    /** A form with text of the page below it, filled in up to its last button. */
    async function reachLast(attributes: Attributes, style = '') {
      const form = await open({...attributes, 'privacy-href': 'https://example.com/privacy'});
      form.style.cssText = style;
      const below = document.createElement('p');
      form.after(below);
      if (attributes['layout'] || attributes['lead-type']) await fillContact(form);
      else await fillAll(form);
      return {form, below};
    }

    /** The screen ends above or below the end of the form. */
    const endScreen = (where: 'above' | 'below') =>
      stub(window, 'innerHeight', {value: where === 'above' ? 1 : 100_000});

    for (const attributes of [...onePage, {}]) {
      for (const width of [320, 700]) {
        for (const [name, consent] of Object.entries(texts)) {
          it(`is shown whole, and only then the buttons: ${name}, ${JSON.stringify(attributes)}, ${width} px`, async () => {
            const release = delayConfig({consent});
            endScreen('below');
            const {form, below} = await reachLast(
              attributes,
              `inline-size: ${width}px; min-block-size: 3000px; max-inline-size: none`,
            );
            const before = top(below);
            expect(isShown(part(form, '.main'))).to.equal(false);
            release();
            await until(() => isShown(part(form, '.main')));
            expect(top(below)).to.equal(before);
            if (!consent) return;
            const box = part(form, '.consent');
            expect(box.textContent).to.contain(consent.text);
            expect(getComputedStyle(box).overflow).to.equal('visible');
            expect(box.scrollWidth).to.be.at.most(box.clientWidth);
            expect(box.offsetWidth).to.equal(part(form, '.fields').offsetWidth);
            expect(top(part(form, '.actions'))).to.be.above(top(box) + box.offsetHeight - 1);
          });
        }
      }
    }

    for (const attributes of onePage) {
      const layout = JSON.stringify(attributes);

      it(`a long consent text is shown at once if what it moves is below the screen, ${layout}`, async () => {
        const release = delayConfig({consent: texts['a long text']!});
        endScreen('above');
        const {form} = await reachLast(attributes);
        release();
        await shows(form, long.trim());
      });

      it(`a long text that would move the screen waits until the visitor is in a field, ${layout}`, async () => {
        const release = delayConfig({consent: texts['a long text']!});
        endScreen('below');
        const {form, below} = await reachLast(attributes);
        const before = top(below);
        release();
        await until(() => isShown(part(form, '.main')));
        expect(text(form)).not.to.contain(long.trim());
        expect(top(below)).to.equal(before);

        button(form, attributes['layout'] ? 'See my estimate' : 'Send').focus();
        await form.updateComplete;
        expect(text(form), 'the button stays below the pointer').not.to.contain(long.trim());
        field(form, 'Email').focus();
        await shows(form, long.trim());
      });
    }

    for (const consent of [textAlone, textWithBox]) {
      it(`a lead is not sent with a consent text that is not shown yet (required: ${consent.required})`, async () => {
        const release = delayConfig({consent: {...consent, text: long}});
        endScreen('below');
        const {form} = await reachLast({'lead-type': 'standard'});
        release();
        await until(() => isShown(part(form, '.main')));
        expect(text(form)).not.to.contain(long.trim());
        await click(form, 'Send');
        await shows(form, long.trim());
        await shows(form, consent.required ? unticked : changed);
        expect(server.leads).to.have.length(0);
      });
    }

    for (const attributes of [...onePage, {}]) {
      it(`without a configuration the button is there, and the lead is sent, ${JSON.stringify(attributes)}`, async () => {
        server.config = () => Promise.reject(new TypeError('no network'));
        const {form} = await reachLast(attributes);
        await until(() => isShown(part(form, '.main')));
      });
    }
  });

  describe('the configuration is fetched', () => {
    for (const [attributes, near] of [
      [{'lead-type': 'standard'}, 1],
      [{layout: 'single'}, 1],
      [{}, 0],
    ] as const) {
      it(`${near ? 'when the form comes near the screen' : 'at the first touch'}: ${JSON.stringify(attributes)}`, async () => {
        // The test before this one has scrolled down.
        scrollTo(0, 0);
        const form = await place({...attributes, style: 'margin-block-start: 9000px'});
        if (!near) await form.updateComplete;
        await new Promise((resolve) => new IntersectionObserver(resolve).observe(form));
        expect(server.configRequests).to.equal(0);
        await until(() => {
          // Again and again, because WebKit may take back the first time, when the page has just been scrolled up.
          form.scrollIntoView();
          return server.configRequests === near;
        });
        await new Promise((resolve) => new IntersectionObserver(resolve).observe(form));
        expect(server.configRequests).to.equal(near);
        await touch(form);
        await until(() => server.configRequests === 1);
      });
    }
  });
});

describe('the colour of the partner', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = () => config({colors: {accent: '#0b7a5a'}});
  });

  const accent = (form: LeadPrequalForm) => getComputedStyle(form).getPropertyValue('--_accent').trim();
  const touched = async (form: LeadPrequalForm) => {
    await fillAll(form);
    await send(form);
    return accent(form);
  };

  it("the accent colour of the partner's configuration is used from the first touch on", async () => {
    const form = await open();
    expect(accent(form)).not.to.equal('#0b7a5a');
    expect(await touched(form)).to.equal('#0b7a5a');
    expect(form.getAttribute('style'), 'the element stays as the page wrote it').to.equal(null);
  });

  it("the page's --prequal-accent comes before the colour of the configuration", async () => {
    const form = await open();
    form.style.setProperty('--prequal-accent', '#7a1f5c');
    expect(await touched(form)).to.equal('#7a1f5c');
  });

  it('a colour of the partner in the snippet is there at once and stays, unless the page has one', async () => {
    const form = await open();
    form.style.setProperty('--prequal-partner-accent', '#123456');
    expect(accent(form)).to.equal('#123456');
    expect(await touched(form)).to.equal('#123456');
    form.parentElement!.style.setProperty('--prequal-accent', '#7a1f5c');
    expect(accent(form)).to.equal('#7a1f5c');
  });

  for (const odd of ['red', 'url(https://example.com)', '#0b7a5a}*{display:none', 7, null]) {
    it(`a configured accent that is no colour is ignored: ${String(odd)}`, async () => {
      server.config = () => config({colors: {accent: odd as string}});
      const form = await open();
      const before = accent(form);
      expect(await touched(form)).to.equal(before);
    });
  }
});
