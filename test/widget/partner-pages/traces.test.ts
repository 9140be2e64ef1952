import {expect} from '@open-wc/testing';
import {until} from '../../support/until.ts';
import {shows} from '../../support/browser/visitor.ts';
import {
  element,
  formOn,
  pageScript,
  openPage,
  reachResult,
  service,
  type PartnerPage,
} from './partner-page.ts';

/**
 * Adds a function that lists all that a script can leave on the page. The page calls it a first time at its end, when
 * the form's script has not run yet, because modules wait until the page is parsed.
 */
const look = pageScript(`
  window.look = () => ({
    globals: Object.getOwnPropertyNames(window).sort(),
    symbols: Object.getOwnPropertySymbols(window).length,
    prototypes: [Object, Array, Function, Promise, Node, Element, HTMLElement, EventTarget, ShadowRoot].map(
      ({prototype}) => Reflect.ownKeys(prototype).length,
    ),
    address: location.href,
    history: history.length,
    state: history.state,
    title: document.title,
    cookie: document.cookie,
    localStorage: JSON.stringify(localStorage),
    head: document.head.innerHTML,
    root: [document.documentElement, document.body].map((part) => part.cloneNode().outerHTML),
    styles: document.styleSheets.length + document.adoptedStyleSheets.length,
    children: document.body.children.length,
  });
  window.before = undefined;
  window.listened = [];
  window.prevented = [];
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...all) {
    if (this === window || this === document || this === undefined) listened.push(type);
    return add.call(this ?? window, type, ...all);
  };
  for (const type of ['click', 'submit', 'keydown', 'input', 'pointerdown', 'touchstart', 'wheel', 'focusin'])
    add.call(document, type, (event) => event.defaultPrevented && prevented.push(type));
`);

// The twin waits for the parsed page, too, so that the page is looked at before it runs.
for (const [name, script] of Object.entries({
  module: service.script,
  'classic twin': service.classicScript.replace(' async', ' defer'),
}))
  it(`a form that reaches the result leaves no trace on the page (${name})`, async () => {
    const page = (await openPage(
      script + look + element + pageScript('window.before = look()'),
    )) as PartnerPage & {
      look(this: void): Record<string, unknown>;
      before: Record<string, unknown>;
      listened: string[];
      prevented: string[];
    };
    const form = await formOn(page);
    await reachResult(form);
    // The file with this button is requested when the lead is sent, and may arrive after the result.
    await shows(form, 'Print or save as PDF');
    // The tags with which later files are checked are on the page for a moment.
    const isClean = () => JSON.stringify(page.look()) === JSON.stringify(page.before);
    await until(isClean).catch(() => {});
    expect(page.look()).to.deep.equal(page.before);
    expect(
      page.listened.filter((type) => !/^(pointer(up|cancel)|visibilitychange|pageshow)$/.test(type)),
      'listeners',
    ).to.deep.equal([]);
    expect(page.prevented, 'events of the page').to.deep.equal([]);
    expect(page.trouble).to.deep.equal([]);
  });
