/** The classic twin, a plain script: tag managers, optimisers and site builders run it in many ways. */
import {expect, oneEvent} from '@open-wc/testing';
import {element, formOn, pageScript, openPage, reachResult, scriptOf, service} from './partner-page.ts';

const tag = service.classicScript;
const blocking = tag.replace(' async', '');
const [, src = ''] = /src="([^"]+)"/.exec(tag) ?? [];
const bare = `<script src="${src}"></script>`;
const delayed = tag.replace('<script', '<script type="text/delayed"');
/** Optimisers run the text of a script, once they have it, in ways in which the browser does not name its tag. */
const runText = (run: string) =>
  delayed + pageScript(`fetch('${src}').then((response) => response.text()).then((code) => {${run}});`);
const putScript = `const script = document.createElement('script');`;
const footer = '<p>Footer</p>';

const pages: Record<string, string> = {
  'stands before the form': tag + element,
  'stands at the end of the page': element + footer + tag,
  'stands in the head and blocks the page': blocking + element,
  'stands in the head and waits for the page': tag.replace(' async', ' defer') + element,
  'blocks the page after the form': element + blocking + footer,
  'has only an address': bare + element,
  'has a type of JavaScript': tag.replace('<script', '<script type="text/javascript"') + element,
  'has a query after it, which WordPress appends': tag.replace('.js"', '.js?ver=6.4"') + element,
  'is made by another script':
    element + pageScript(`${putScript} script.src = '${src}'; document.head.append(script);`),
  'is written by another script':
    element + pageScript(`document.write(${JSON.stringify(tag).replaceAll('</', '<\\/')});`),
  'runs as a copy of its tag, which had a type that does not run':
    delayed +
    element +
    pageScript(`${putScript} const inert = document.querySelector('[type="text/delayed"]');
      for (const {name, value} of inert.attributes) if (name !== 'type') script.setAttribute(name, value);
      inert.replaceWith(script);`),
  'runs as a Blob':
    runText(
      `${putScript} script.src = URL.createObjectURL(new Blob([code])); document.head.append(script);`,
    ) + element,
  'runs as text within the page':
    runText(`${putScript} script.text = code; document.head.append(script);`) + element,
  'is evaluated': runText('(0, eval)(code);') + element,
  'is there twice': tag + element + tag,
  'is there in two versions': tag + element + scriptOf(service.otherVersion, tag),
  'is there before the module': blocking + service.script + element,
  'is there after the module': service.script + element + tag,
  'stands in a page whose addresses are relative to another': `<base href="https://elsewhere.example/">${tag}${element}`,
  'stands in a page with elements that replace what names the script': `<img name=currentScript><form name=scripts></form><img name=baseURI>${tag}${element}`,
};

it('the form says that it could not load from a file that an optimiser has made', async () => {
  const code = await (await fetch(src)).text();
  const page = await openPage(element);
  const bundle = page.document.createElement('script');
  bundle.src = page.URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
  page.document.head.append(bundle);
  const form = await formOn(page);
  const failed = oneEvent(form, 'prequal-error');
  void form.submit();
  expect(((await failed) as CustomEvent<object>).detail).to.deep.equal({
    code: 'load-failed',
    retryable: true,
  });
});

for (const [what, content] of Object.entries(pages)) {
  it(`the form reaches the result where the classic twin ${what}`, async () => {
    const page = await openPage(content);
    await reachResult(await formOn(page));
    expect(page.trouble).to.deep.equal([]);
  });
}
