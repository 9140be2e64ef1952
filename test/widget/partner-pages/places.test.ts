import {expect} from '@open-wc/testing';
import {sendKeys} from '@web/test-runner-commands';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {
  chooseScore,
  click,
  field,
  fill,
  fillAll,
  fillContact,
  goTo,
  heading,
  shows,
  text,
} from '../../support/browser/visitor.ts';
import {
  addScript,
  element,
  formOn,
  pageScript,
  openPage,
  reachResult,
  rendered,
  recordPartners,
  service,
  total,
  type PartnerPage,
} from './partner-page.ts';

const withScript = (content = '') => openPage(service.script + content);

describe('a form that the page makes', () => {
  const attributes = (form: HTMLElement) => (form.setAttribute('partner', 'globex'), form);
  const ways: Record<string, (page: PartnerPage) => Element> = {
    'with innerHTML'({document}) {
      document.body.innerHTML = '<lead-prequal-form partner="globex"></lead-prequal-form>';
      return document.body.firstElementChild!;
    },
    'with createElement'({document}) {
      const form = attributes(document.createElement('lead-prequal-form'));
      document.body.append(form);
      return form;
    },
    'with createElement and properties'({document}) {
      const form = document.createElement('lead-prequal-form');
      Object.assign(form, {partner: 'globex', theme: 'dark'});
      document.body.append(form);
      return form;
    },
    'as a clone'({document}) {
      const original = attributes(document.createElement('lead-prequal-form'));
      document.body.append(original.cloneNode(true));
      return document.body.lastElementChild!;
    },
    'from a template'({document}) {
      const template = document.createElement('template');
      template.innerHTML = '<lead-prequal-form partner="globex"></lead-prequal-form>';
      document.body.append(template.content.cloneNode(true));
      return document.body.lastElementChild!;
    },
  };
  // An element that is there before the script is upgraded. All are alike then, but for properties that it has already.
  const upgraded = ['with innerHTML', 'with createElement and properties'];
  for (const [way, make] of Object.entries(ways)) {
    for (const first of upgraded.includes(way) ? ['script', 'form'] : ['script']) {
      it(`${way} reaches the result, with the ${first} first`, async () => {
        const page = await openPage(first === 'script' ? service.script : '');
        if (first === 'script') await page.customElements.whenDefined('lead-prequal-form');
        const made = make(page);
        if (first === 'form') addScript(page);
        const form = await rendered(made);
        expect(form.partner).to.equal('globex');
        await reachResult(form);
        expect(page.trouble).to.deep.equal([]);
      });
    }
  }
});

describe('a form in an unusual place', () => {
  it('a form that is moved keeps its step and what was typed', async () => {
    const page = await withScript(`${element}<aside></aside>`);
    const form = await formOn(page);
    const aside = page.document.querySelector('aside')!;
    await goTo(form, 'First name');
    await fillContact(form);
    fill(form, 'First name', 'Ana');
    const moves: ((parent: Element) => void)[] = [(parent) => parent.append(form)];
    if ('moveBefore' in aside) moves.push((parent) => parent.moveBefore(form, null));
    for (const move of moves) {
      for (const parent of [aside, page.document.body]) {
        move(parent);
        await form.updateComplete;
        expect(heading(form)).to.contain('Step 3 of 3');
        expect([field(form, 'First name').value, field(form, 'Last name').value]).to.deep.equal([
          'Ana',
          'Ortiz',
        ]);
      }
    }
    await reachResult(form);
    expect(page.trouble).to.deep.equal([]);
  });

  it('a form that is hidden at first reaches the result when it is shown', async () => {
    const page = await withScript(`<div hidden>${element}</div>`);
    const form = await formOn(page);
    form.parentElement!.hidden = false;
    await reachResult(form);
  });

  it('a form in a dialog reaches the result, and the dialog stays open', async () => {
    const page = await withScript(`<dialog>${element}</dialog>`);
    page.document.querySelector('dialog')!.showModal();
    await reachResult(await formOn(page));
    expect(page.document.querySelector('dialog')!.open).to.be.true;
    expect(page.trouble).to.deep.equal([]);
  });

  for (const mode of ['open', 'closed'] as const) {
    it(`the events of a form in another shadow root (${mode}) reach the page`, async () => {
      const page = await withScript('<section></section>');
      const root = page.document.querySelector('section')!.attachShadow({mode});
      root.innerHTML = element;
      const heard: [string, string][] = [];
      for (const name of ['ready', 'start', 'step', 'submit', 'result']) {
        page.document.addEventListener(`prequal-${name}`, ({type, target}) => {
          heard.push([type, (target as Element).localName]);
        });
      }
      await reachResult(await rendered(root.querySelector('lead-prequal-form')));
      expect(heard.map(([type]) => type)).to.include.members([
        'prequal-start',
        'prequal-step',
        'prequal-result',
      ]);
      expect(new Set(heard.map(([, target]) => target))).to.deep.equal(new Set(['section']));
      expect(page.trouble).to.deep.equal([]);
    });
  }

  it('a form inside a form of the page shares neither fields nor submission with it', async () => {
    const page = await withScript(
      `<form><input name="q" value="theirs">${element}<button>Theirs</button></form>` +
        pageScript(`
          window.submissions = 0;
          document.forms[0].onsubmit = (event) => { submissions++; event.preventDefault(); };
        `),
    );
    const form = await formOn(page);
    const theirs = page.document.forms[0]!;
    await chooseScore(form);
    const inputs = form.shadowRoot!.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button');
    expect([...inputs].filter((input) => input.form === theirs)).to.deep.equal([]);
    expect([...theirs.elements].map(({localName}) => localName)).to.deep.equal(['input', 'button']);

    page.focus();
    field(form, 'Above 720 Excellent').focus();
    await sendKeys({press: 'Enter'});
    await shows(form, 'Step 2 of 3');
    await click(form, 'Back');
    await reachResult(form);
    expect((page as unknown as {submissions: number}).submissions).to.equal(0);
    expect([...new page.FormData(theirs).keys()]).to.deep.equal(['q']);
    expect(page.trouble).to.deep.equal([]);
  });

  it('two forms on one page share neither partner, fields nor result', async () => {
    const page = await withScript(`${element}${element.replace('acme', 'globex')}`);
    const [one, two] = (await Promise.all(
      [...page.document.querySelectorAll('lead-prequal-form')].map(rendered),
    )) as [LeadPrequalForm, LeadPrequalForm];
    const partners = recordPartners(page);
    await fillAll(one);
    expect(heading(two)).to.equal('Step 1 of 3 What is your credit score?');
    expect(field(two, 'Above 720 Excellent').checked).to.equal(false);
    await reachResult(two);
    expect(field(one, 'First name').value).to.equal('Maria');
    expect(text(one)).not.to.contain(total);
    await reachResult(one);
    for (const {shadowRoot} of [one, two]) {
      const ids = [...shadowRoot!.querySelectorAll('[id]')].map(({id}) => id);
      expect(new Set(ids)).to.have.length(ids.length);
    }
    expect(partners).to.deep.equal(['globex', 'acme']);
    expect(page.trouble).to.deep.equal([]);
  });
});
