import {expect} from '@open-wc/testing';
import {hearConsole} from '../../support/browser/browser-page.ts';
import {config, endpoint, useServer} from '../../support/browser/fake-server.ts';
import {fillAll, openFilled, openSent, send, type Attributes} from '../../support/browser/visitor.ts';
import type {LeadPrequalForm} from '../../../widget/define.ts';

const longest = '🎉'.repeat(200);

describe('hidden fields', () => {
  const server = useServer();
  const said = hearConsole();
  beforeEach(() => (server.config = () => config({context_fields: ['brand', 'store']})));

  /** What is sent of the attributes, and of a property that the page sets before the press of the last button. */
  async function sent(attributes: Attributes, context?: unknown) {
    const form = await openFilled(attributes);
    if (context !== undefined) form.context = context as LeadPrequalForm['context'];
    await send(form);
    return server.leads[0]?.body.context;
  }

  it('are sent from attributes, and trimmed', async () => {
    expect(await sent({'context-brand': ' north ', 'context-store': longest})).to.deep.equal({
      brand: 'north',
      store: longest,
    });
    expect(said).to.deep.equal([]);
  });

  it('are sent from the property, which replaces attributes of the same name', async () => {
    const attributes = {'context-brand': 'north', 'context-store': '7'};
    expect(await sent(attributes, {brand: 'south'})).to.deep.equal({brand: 'south', store: '7'});
  });

  it('a property that the page set before the element was defined is sent', async () => {
    const form = document.createElement('div');
    form.innerHTML = '<template><lead-prequal-form partner="acme"></lead-prequal-form></template>';
    const element = form.querySelector('template')!.content.firstElementChild as LeadPrequalForm;
    Object.assign(element, {context: {brand: 'early'}, endpoint});
    const ready = new Promise((resolve) => element.addEventListener('prequal-ready', resolve));
    document.body.append(element);
    await ready;
    await fillAll(element);
    await send(element);
    element.remove();
    expect(server.leads[0]?.body.context).to.deep.equal({brand: 'early'});
  });

  it('a name that the partner does not list is left out, and the console says so once', async () => {
    expect(await sent({'context-brand': 'north', 'context-colour': 'red'})).to.deep.equal({brand: 'north'});
    expect(said).to.have.length(1);
    expect(said[0]).to.contain('"colour"').and.to.contain('context_fields');
    sessionStorage.clear();
    await sent({'context-brand': 'north', 'context-colour': 'red'});
    expect(said).to.have.length(1);
  });

  it('values that do not fit are left out, and the console names their fields', async () => {
    const context = {brand: `${longest}x`, store: 7};
    expect(await sent({}, context)).to.equal(undefined);
    expect(said).to.have.length(2);
    expect(said[0]).to.contain('"brand"').and.to.contain('200 characters');
    expect(said.join()).to.not.contain(longest);
  });

  it('empty values are left out without a word', async () => {
    expect(await sent({'context-brand': '', 'context-other': ' '}, {store: null})).to.equal(undefined);
    expect(said).to.deep.equal([]);
  });

  it('without a list from the server, none is sent', async () => {
    server.config = () => config();
    expect(await sent({'context-size': 'large'})).to.equal(undefined);
    expect(said[0]).to.contain('"size"');
  });

  it('a form without hidden fields sends nothing of them', async () => {
    await sent({});
    expect('context' in server.leads[0]!.body).to.equal(false);
  });

  it('in a sandbox the console says nothing about them', async () => {
    await openSent({sandbox: '', 'context-shade': 'dark'});
    expect(said).to.deep.equal([]);
  });
});
