/** The partner's texts in the language of the form: the consent with its links, and what happens next. */
import {expect} from '@open-wc/testing';
import type {ConsentText, EmbedConfig} from '../../../contract/embed.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {stub} from '../../support/browser/browser-page.ts';
import {config, isReadingReply, useServer} from '../../support/browser/fake-server.ts';
import {until} from '../../support/until.ts';
import {
  type Attributes,
  click,
  field,
  fillContact,
  link,
  open,
  openFilled,
  openSent,
  part,
  reserved,
  send,
  shows,
  text,
  touch,
} from '../../support/browser/visitor.ts';

const terms = 'https://acme.example/terms?a=1&b=2';
const texts = {
  en: {text: `With {button} I accept the [Terms](${terms}).`, version: 'en/1', required: true, lang: 'en'},
  es: {
    text: 'Con {button} acepto los [Términos](https://acme.example/es).',
    version: 'es/1',
    required: true,
    lang: 'es',
  },
} satisfies Record<string, ConsentText>;
const inEnglish = 'With See my estimate I accept the Terms.';
const inSpanish = 'Con Ver mi estimado acepto los Términos.';
const next_step = {en: 'We call you at {phone}.', es: 'Le llamamos al {phone}.'};

const isSpanish = ({searchParams}: URL) => searchParams.get('lang')?.startsWith('es') === true;
/** What the server says to a form in this language. */
const spoken = (url: URL): Partial<EmbedConfig> =>
  isSpanish(url)
    ? {consent: texts.es, next_step: {es: next_step.es}}
    : {consent: texts.en, next_step: {en: next_step.en}};

describe('a consent text with a language', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = (url) => config(spoken(url));
  });

  const reach = async (consent: ConsentText, attributes: Attributes = {}) => {
    server.config = () => config({consent});
    const form = await openFilled({style: reserved, ...attributes});
    await until(() => part(form, '.consent') !== null);
    return form;
  };

  for (const required of [true, false]) {
    it(`has links that open a new tab, and names the button (required: ${required})`, async () => {
      const form = await reach({...texts.en, required}, {'privacy-href': 'https://example.com/privacy'});
      expect(text(form)).to.contain(inEnglish);
      const {href, target, rel} = link(form, 'Terms')!;
      expect([href, target, rel]).to.deep.equal([terms, '_blank', 'noopener']);
      expect(link(form, 'Terms')!.closest('[lang]')!.getAttribute('lang')).to.equal('en');
      expect(link(form, 'Privacy policy')!.closest('[lang]'), 'has the language of the form').to.equal(null);
    });
  }

  it('a press of a link does not tick the box', async () => {
    const form = await reach(texts.en);
    link(form, 'Terms')!.addEventListener('click', (event) => event.preventDefault());
    link(form, 'Terms')!.click();
    expect(field(form, inEnglish).checked).to.equal(false);
    part(form, '.consent label').click();
    expect(field(form, inEnglish).checked).to.equal(true);
  });

  it('names the button as the page has named it', async () => {
    const form = await reach(texts.en);
    form.strings = {seeEstimate: 'Show me [this](https://example.com)'};
    await form.updateComplete;
    expect(text(form)).to.contain('With Show me [this](https://example.com) I accept the Terms.');
    expect(link(form, 'this')).to.equal(undefined);
  });

  it('names the button of a form for contact data', async () => {
    const form = await open({'lead-type': 'standard', style: reserved});
    await fillContact(form);
    await shows(form, 'With Send I accept the Terms.');
  });

  it('shows what is no link over https, and HTML, as text', async () => {
    const odd =
      '[a](javascript:alert(1)) [b](http://acme.example) {phone} <i>c</i> [<u>d</u>](https://acme.example)';
    const form = await reach({...texts.en, text: odd});
    expect(text(form)).to.contain(
      '[a](javascript:alert(1)) [b](http://acme.example) {phone} <i>c</i> <u>d</u>',
    );
    const links = [...part(form, '.consent').querySelectorAll('a')].map(({href}) => href);
    expect(links).to.deep.equal(['https://acme.example/']);
    expect(part(form, '.consent').querySelector('i, u')).to.equal(null);
  });

  it('a text without a language is shown as it is', async () => {
    const {text: written, version} = texts.en;
    const form = await reach({text: written, version, required: true});
    expect(text(form)).to.contain(written);
    expect(part(form, '.consent').querySelector('a')).to.equal(null);
  });

  it('is asked for in the language of the form', async () => {
    const asked: (string | null)[] = [];
    server.config = (url) => {
      asked.push(url.searchParams.get('lang'), url.searchParams.get('partner'));
      return config(spoken(url));
    };
    await touch(await open());
    await until(() => asked.length > 0);
    await touch(await open({lang: 'es-MX'}));
    await until(() => asked.length > 2);
    await touch(await open({lang: 'fr'}));
    await until(() => asked.length > 4);
    expect(asked).to.deep.equal(['en-US', 'acme', 'es-US', 'acme', 'en-US', 'acme']);
  });

  it('and the next step say their own language in a form that is in another one', async () => {
    server.config = () => config({consent: texts.es, next_step: {es: next_step.es}});
    const form = await openFilled({style: reserved});
    await shows(form, 'Con See my estimate acepto los Términos.');
    expect(part(form, '.consent label').lang).to.equal('es');
    part(form, '.consent label').click();
    await send(form);
    expect(text(form)).to.contain('What happens next Le llamamos al (415) 555-0132.');
    expect(part(form, '.next p').lang).to.equal('es');
  });

  it('a next step whose language is not known says none', async () => {
    server.config = () => config({next_step: {und: 'We call you.'}});
    const form = await openSent();
    expect(part(form, '.next p').hasAttribute('lang')).to.equal(false);
  });
});

describe('a page that changes its language', () => {
  const server = useServer();
  beforeEach(() => {
    server.config = (url) => config(spoken(url));
  });

  const reach = async (attributes: Attributes = {style: reserved}) => {
    const form = await openFilled(attributes);
    await shows(form, inEnglish);
    return form;
  };
  const untilSpanish = (form: LeadPrequalForm) =>
    until(() => text(form).includes('Ver mi estimado'), 'the form is in Spanish');

  it('gets the consent in the new language, with an empty box and all that was typed', async () => {
    const form = await reach();
    field(form, inEnglish).click();
    form.lang = 'es';
    await shows(form, inSpanish);
    expect(field(form, inSpanish).checked).to.equal(false);
    expect(field(form, 'Correo electrónico').value).to.equal('maria@example.com');
    await click(form, 'Ver mi estimado');
    expect(server.leads).to.have.length(0);
    field(form, inSpanish).click();
    await send(form, 'Ver mi estimado');
    expect(server.leads[0]!.body.consent).to.include({version: 'es/1', agreed: true});
  });

  it('shows the new text at once, also where it moves what stands below the form', async () => {
    // Nothing below the form is on the screen yet, so the first text is shown whenever it arrives.
    stub(window, 'innerHeight', {value: 0});
    const form = await reach({});
    stub(window, 'innerHeight', {value: 100_000});
    const long = {...texts.es, text: `${texts.es.text} ${'Pueden llamarme. '.repeat(40)}`};
    server.config = () => config({consent: long});
    form.lang = 'es';
    await shows(form, inSpanish);
    await form.updateComplete;
    await form.updateComplete;
    expect(text(form)).to.contain(inSpanish);
  });

  it('sends nothing with a text that the visitor has not seen in the new language', async () => {
    const form = await reach();
    field(form, inEnglish).click();
    const release = server.delayConfig((url) => config(spoken(url)));
    form.lang = 'es';
    await untilSpanish(form);
    expect(text(form), 'the old text stays until the new one is there').to.contain('I accept the Terms.');
    const sent = send(form, 'Ver mi estimado');
    release();
    expect((await sent).detail).to.deep.equal({code: 'consent-outdated', retryable: true});
    expect(server.leads).to.have.length(0);
    expect(field(form, inSpanish).checked).to.equal(false);
  });

  it('takes the old text if the new one does not arrive, and sends what the visitor saw', async () => {
    const form = await reach();
    field(form, inEnglish).click();
    let asked = 0;
    server.config = () => {
      asked++;
      return Promise.reject(new TypeError('no network'));
    };
    form.lang = 'es';
    await until(() => asked === 1);
    await untilSpanish(form);
    await send(form, 'Ver mi estimado');
    expect(server.leads[0]!.body.consent).to.include({version: 'en/1', agreed: true});
  });

  it('shows the text of its last language, in whatever order the texts arrive', async () => {
    const form = await reach();
    const {promise: released, resolve: release} = Promise.withResolvers<void>();
    server.config = (url) =>
      isSpanish(url) ? released.then(() => config(spoken(url))) : config(spoken(url));
    form.lang = 'es';
    await untilSpanish(form);
    const before = server.configRequests;
    form.lang = 'en';
    await until(() => server.configRequests > before && text(form).includes('See my estimate'));
    release();
    await until(() => !isReadingReply());
    await form.updateComplete;
    expect(text(form)).to.contain(inEnglish);
    field(form, inEnglish).click();
    await send(form);
    expect(server.leads[0]!.body.consent?.version).to.equal('en/1');
  });

  it('gets the next step below a result in the new language', async () => {
    const form = await reach();
    field(form, inEnglish).click();
    await send(form);
    expect(text(form)).to.contain('We call you at (415) 555-0132.');
    form.lang = 'es';
    await shows(form, 'Le llamamos al (415) 555-0132.');
  });

  it('asks for nothing before the first touch', async () => {
    const form = await open();
    form.lang = 'es';
    await shows(form, 'Siguiente');
    expect(server.configRequests).to.equal(0);
  });

  it('gets the sample consent in the new language, too', async () => {
    const form = await openFilled({sandbox: '', style: reserved});
    await shows(form, 'This is where the consent text');
    form.lang = 'es';
    await shows(form, 'Aquí va el texto de consentimiento');
    part(form, '.consent input').click();
    await send(form, 'Ver mi estimado');
    expect(text(form)).to.contain('Próximos pasos');
  });
});
