/** What stood on the screen when the last button was pressed, as the form sends it with the consent. */
import {expect, oneEvent} from '@open-wc/testing';
import type {ConsentText} from '../../../contract/embed.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {config, created, problem, useServer} from '../../support/browser/fake-server.ts';
import {
  type Attributes,
  fillAll,
  open,
  openFilled,
  part,
  reserved,
  send,
  shows,
} from '../../support/browser/visitor.ts';

const consent: ConsentText = {text: 'I agree to be called about my estimate.', version: '1', required: false};
const slotted = '<p slot="consent">  We call\n by <b>machine</b>, too. </p>';

describe('what stood on the screen at the press of the last button', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = () => config({consent});
  });

  const show = (form: LeadPrequalForm) =>
    part(form, '.consent').scrollIntoView({block: 'center', behavior: 'instant'});
  async function reach(attributes: Attributes = {}, children = '') {
    const form = await openFilled({style: reserved, ...attributes}, children);
    await shows(form, consent.text);
    show(form);
    return form;
  }
  /** What was sent, with its texts as the server stores them: WebKit ends the words of a button with a line break. */
  const sent = () =>
    server.leads.map(({body: {consent}}) =>
      Object.fromEntries(
        Object.entries(consent!).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value,
        ]),
      ),
    );

  it('the button, the width of the window and the words of the page are sent with the consent', async () => {
    const form = await reach({}, slotted);
    await send(form);
    expect(sent()).to.deep.equal([
      {
        version: '1',
        agreed: false,
        button: 'See my estimate',
        in_view: true,
        verbatim: true,
        width: innerWidth,
        slot: 'We call by machine, too.',
      },
    ]);
  });

  for (const [edge, by] of [
    ['above', (box: DOMRect) => box.bottom - 5],
    ['below', (box: DOMRect) => box.top - innerHeight + 5],
  ] as const) {
    it(`a text of which a part is ${edge} the window is not in view`, async () => {
      const form = await reach({style: `${reserved}; display: block; margin-block: 2000px`});
      scrollBy({top: by(part(form, '.consent').getBoundingClientRect()), behavior: 'instant'});
      await send(form);
      expect(sent()[0]).to.include({in_view: false, button: 'See my estimate'});
    });
  }

  it('a text that goes over the side of the window is not in view', async () => {
    const form = await reach();
    form.style.translate = '-300px';
    await send(form);
    expect(sent()[0]?.['in_view']).to.be.false;
  });

  /** As Chrome and Edge do it, which put elements in the place of a text, and as others do, which change the text. */
  const translators: Record<string, (span: Element) => void> = {
    elements: (span) => (span.innerHTML = '<font><font>Acepto que me llamen.</font></font>'),
    texts: (span) => ((span.firstChild as Text).data = 'Acepto que me llamen.'),
    nothing: () => undefined,
  };
  for (const [what, translate] of Object.entries(translators))
    for (const required of [false, true])
      it(`the words are said to be those of the server unless a translator changed them: ${what}, ${required}`, async () => {
        const text = '[Terms](https://acme.example/) with {button}\n and “more” & <b>.';
        server.config = () => config({consent: {...consent, text, lang: 'en', required}});
        const form = await openFilled({style: reserved, 'privacy-href': 'https://acme.example/privacy'});
        await shows(form, 'Terms with See my estimate');
        if (required) part(form, '#consent').click();
        translate(part(form, '.consent a span'));
        await send(form);
        expect(sent()[0]?.['verbatim']).to.equal(what === 'nothing');
      });

  it('the button is sent in the language of the form', async () => {
    const form = await reach();
    form.lang = 'es';
    await shows(form, 'Ver mi estimado');
    await send(form, 'Ver mi estimado');
    expect(sent()[0]?.['button']).to.equal('Ver mi estimado');
  });

  for (const isSeen of [true, false]) {
    it(`a text in a dialog is in view if the dialog shows it, whatever the window does: ${isSeen}`, async () => {
      const form = await open({presentation: 'dialog'});
      part<HTMLDialogElement>(form, 'dialog').showModal();
      await fillAll(form);
      await shows(form, consent.text);
      part(form, 'dialog').style.blockSize = '300px';
      show(form);
      const [box, card] = ['.consent', '.card'].map((each) => part(form, each).getBoundingClientRect());
      if (!isSeen) part(form, '.card').scrollTop -= card!.bottom - box!.top + 5;
      const {top, bottom} = part(form, '.consent').getBoundingClientRect();
      expect(top > 0 && bottom < innerHeight, 'it is within the window').to.be.true;
      const said = [
        isSeen,
        innerHeight,
        innerWidth,
        ...['.consent', '.card', 'dialog', 'form'].map((each) =>
          JSON.stringify(part(form, each).getBoundingClientRect()),
        ),
      ].join();
      await send(form);
      expect(sent()[0]?.['in_view'], said).to.equal(isSeen);
    });
  }

  it('a repeated request says what stood there at the press, and not what came after it', async () => {
    server.reply(
      ({body}) => {
        expect(body.consent?.slot?.trim()).to.equal('We call by machine, too.');
        form.querySelector('[slot]')!.textContent = 'Something else';
        scrollTo(0, 0);
        return problem(422, 'consent-outdated');
      },
      () => created(),
    );
    const form = await reach({style: `${reserved}; margin-block-start: 2000px; display: block`}, slotted);
    await send(form);
    const [first, second] = sent();
    expect(first?.['in_view']).to.be.true;
    expect(second).to.deep.equal(first);
  });

  it('a long text of the page is cut, and left out if the server finds the lead too long', async () => {
    server.reply(
      () => problem(413, 'body-too-large'),
      () => created(),
    );
    const form = await reach({}, `<p slot="consent">${'Más. '.repeat(2_000)}</p>`);
    expect((await send(form)).type).to.equal('prequal-result');
    const [first, second] = sent();
    expect(first?.['slot']).to.equal('Más. '.repeat(800).trim());
    expect(second).to.include({button: 'See my estimate', in_view: true}).and.not.have.property('slot');
  });

  it('submit() from an earlier step says that the text was not in view, and names no button', async () => {
    const form = await reach({}, slotted);
    const end = oneEvent(form, 'prequal-result');
    form.shadowRoot!.querySelector<HTMLButtonElement>('.actions button:not(.main)')!.click();
    await form.updateComplete;
    await form.submit();
    await end;
    expect(sent()).to.deep.equal([{version: '1', agreed: false, in_view: false, width: innerWidth}]);
  });
});
