/** Tests versions in which one later file was changed after the build. The form must not run that file. */
import {expect, oneEvent, waitUntil} from '@open-wc/testing';
import type {LeadPrequalForm} from '../../../widget/define.ts';
import {heading} from '../../support/browser/visitor.ts';
import {
  element,
  formOn,
  openPage,
  reachResult,
  scriptOf,
  scripts,
  service,
  showsFallback,
} from './host-page.ts';

const typed = {first_name: 'Maria', last_name: 'Ortiz', email: 'maria@example.com', phone: '(415) 555-0132'};

/** Sends a lead from a form in any language, because it finds fields by their names and does not press a button. */
async function submit(form: LeadPrequalForm) {
  for (const [name, value] of Object.entries(typed)) {
    form.shadowRoot!.querySelector<HTMLInputElement>(`[name=${name}]`)!.value = value;
  }
  const end = Promise.race([oneEvent(form, 'prequal-result'), oneEvent(form, 'prequal-error')]);
  void form.submit();
  const {type, detail} = (await end) as CustomEvent<object | undefined>;
  await form.updateComplete;
  return {type, ...detail};
}

/** The attributes without which a page does not load the file. */
const attributes: Readonly<Record<string, string>> = {
  'known-contact': 'draft',
  dialog: 'presentation="dialog"',
  advice: 'privacy-href="javascript:alert(1)"',
};

const isSandbox = ({file}: {file: string}) => file.startsWith('sandbox-');

for (const {file, oneByte, planted} of service.laterFiles.filter((later) => !isSandbox(later))) {
  const name = file.replace(/-\w+\.js$/, '');
  const [, tag = 'es'] = /^words-(.*)/.exec(name) ?? [];
  const ofWords = name === 'languages' || name.startsWith('words-');
  const needed = name === 'touched-form' || name === 'words-en';
  const otherwise = ofWords ? 'the form is in English' : 'the result is shown without it';

  describe(`${name}, pinned by the hash of the first file`, () => {
    for (const [change, version, script] of [
      ['one byte', oneByte, scripts.module],
      ['added code', planted, scripts.module],
      ['added code, classic twin', planted, scripts['classic twin']],
    ] as const) {
      it(`${name} does not run if the server has changed it (${change}): ${needed ? 'sending can be tried again' : otherwise}`, async () => {
        const content = element.replace(' partner', ` ${attributes[name] ?? ''} partner`);
        const page = await openPage(
          `${scriptOf(version, script)}<main lang=${ofWords ? tag : 'en'}>${content}</main>`,
        );
        const form = await formOn(page);
        if (name === 'languages') expect(heading(form)).to.equal('Step 1 of 3 · about a minute About you');
        form.leadType = 'standard';
        if (needed) {
          const failed = {type: 'prequal-error', code: 'load-failed', retryable: true};
          expect(await submit(form)).to.deep.equal(failed);
          expect(form.shadowRoot!.querySelector('[part=notice]')).to.exist;
          expect(await submit(form), 'when tried again').to.deep.equal(failed);
        } else {
          expect((await submit(form)).type).to.equal('prequal-result');
          if (ofWords) expect(heading(form)).to.equal('Thank you, Maria');
        }
        expect('planted' in page).to.be.false;
      });
    }
  });
}

it("the sandbox is not shown if the server has changed it, and the element's own children stay", async () => {
  const {oneByte, planted} = service.laterFiles.find(isSandbox)!;
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
