/** Tests versions in which one later file was changed after the build. The form must not run that file. */
import {expect, oneEvent, waitUntil} from '@open-wc/testing';
import {languages} from '../../../form/words/languages.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {heading, link} from '../../support/browser/visitor.ts';
import {until} from '../../support/until.ts';
import {
  element,
  formOn,
  openPage,
  reachResult,
  scriptOf,
  scripts,
  service,
  showsFallback,
} from './partner-page.ts';

const typed = {first_name: 'Maria', last_name: 'Ortiz', email: 'maria@example.com', phone: '(415) 555-0132'};

/** A field of a form that may show any of its files' failures. */
const inputOf = (form: LeadPrequalForm, name: string) =>
  form.shadowRoot!.querySelector<HTMLInputElement>(`[name=${name}]`);

async function submit(form: LeadPrequalForm) {
  const end = Promise.race([oneEvent(form, 'prequal-result'), oneEvent(form, 'prequal-error')]);
  void form.submit();
  const {type, detail} = (await end) as CustomEvent<object | undefined>;
  await form.updateComplete;
  return {type, ...detail};
}

const fileNamed = (name: string) => service.laterFiles.find(({file}) => file.startsWith(`${name}-`))!;

const changes = (name: string) => {
  const {oneByte, planted} = fileNamed(name);
  return [
    ['one byte', oneByte, scripts.module],
    ['added code', planted, scripts.module],
    ['added code, classic twin', planted, scripts['classic twin']],
  ] as const;
};

describe('a later file is pinned by the hash of the first file', () => {
  it('the later files of the form are debug, rest, sandbox and one for each language', () => {
    const names = service.laterFiles.map(({file}) => file.replace(/-\w+\.js$/, ''));
    expect(names.sort()).to.deep.equal(['debug', ...Object.keys(languages), 'rest', 'sandbox'].sort());
  });

  for (const [change, version, script] of changes('rest')) {
    it(`a changed rest does not run, and sending can be tried again (${change})`, async () => {
      const page = await openPage(scriptOf(version, script) + element);
      const form = await formOn(page);
      inputOf(form, 'credit_score')!.click();
      const failed = {type: 'prequal-error', code: 'load-failed', retryable: true};
      expect(await submit(form)).to.deep.equal(failed);
      expect(form.shadowRoot!.querySelector('[part=notice]')).to.exist;
      expect(await submit(form), 'when tried again').to.deep.equal(failed);
      expect('planted' in page).to.be.false;
    });
  }

  it('a first screen that needs a changed rest offers the apply page', async () => {
    const single = element.replace(' partner', ' layout="single" partner');
    const page = await openPage(scriptOf(fileNamed('rest').planted) + single);
    const form = page.document.querySelector('lead-prequal-form')!;
    await until(() => Boolean(link(form, 'Continue on our own page')));
    expect(link(form, 'Continue on our own page')!.href).to.equal(`${service.origin}/apply/acme?lang=en`);
    expect(form.shadowRoot!.querySelector('form')).to.equal(null);
    expect('planted' in page).to.be.false;
  });

  for (const [change, version, script] of changes('es').slice(1)) {
    it(`a changed language does not run, and the form is in English (${change})`, async () => {
      const page = await openPage(`${scriptOf(version, script)}<main lang="es">${element}</main>`);
      const form = await formOn(page);
      expect(heading(form)).to.equal('Step 1 of 3 What is your credit score?');
      form.leadType = 'standard';
      await until(() => inputOf(form, 'phone') !== null);
      for (const [name, value] of Object.entries(typed)) inputOf(form, name)!.value = value;
      expect((await submit(form)).type).to.equal('prequal-result');
      expect(heading(form)).to.equal('Thank you, Maria');
      expect('planted' in page).to.be.false;
    });
  }
});

it("the sandbox is not shown if the server has changed it, and the element's own children stay", async () => {
  const {oneByte, planted} = fileNamed('sandbox');
  for (const version of [oneByte, planted]) {
    const page = await openPage(scriptOf(version) + element.replace('partner="acme"', 'sandbox'));
    await waitUntil(() => page.trouble.length > 0);
    expect(showsFallback(page)).to.be.true;
    expect('planted' in page).to.be.false;
  }
});

it('a later file is requested once, so that the bytes that run are the verified ones', async () => {
  const page = await openPage(service.script + element);
  await reachResult(await formOn(page));
  const requested = page.performance
    .getEntriesByType('resource')
    .map((entry) => entry.name.replace(/.*\//, ''));
  const later = requested.filter((name) => service.laterFiles.some(({file}) => file === name));
  expect(later).to.have.length.above(0);
  expect(new Set(later)).to.have.length(later.length);
});
