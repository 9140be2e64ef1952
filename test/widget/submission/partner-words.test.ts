/** The partner's own words below the result: what happens next, with placeholders, and a link. */
import {expect} from '@open-wc/testing';
import type {EmbedConfig} from '../../../contract/embed.ts';
import {referenceOf} from '../../../contract/reference.ts';
import {amounts, config, created, useServer} from '../../support/browser/fake-server.ts';
import {fill, link, openFilled, send, text, type Attributes} from '../../support/browser/visitor.ts';

const id = '019bc2a1-5e18-7c4a-9f3e-2b6d41c7e9a5';
const reference = referenceOf(id);
const cta = {en: {label: 'Book a call', href: 'https://www.acme.example/book'}};
const pageLink = {'cta-href': 'https://example.com/call', 'cta-label': 'Talk to us'};

describe("the partner's words below the result", () => {
  const server = useServer();

  async function result(over: Partial<EmbedConfig>, attributes: Attributes = {}, firstName = 'Maria') {
    server.config = () => config(over);
    server.reply(() => created({id, prequalification: {...amounts, first_name: firstName}}));
    const form = await openFilled(attributes);
    fill(form, 'First name', firstName);
    await send(form);
    return form;
  }

  it('have a link, which that of the page replaces', async () => {
    const own = await result({cta});
    expect(link(own, 'Book a call')?.href).to.equal(cta.en.href);
    sessionStorage.clear();
    const replaced = await result({cta}, pageLink);
    expect(link(replaced, 'Talk to us')?.href).to.equal('https://example.com/call');
    expect(link(replaced, 'Book a call')).to.equal(undefined);
  });

  it('have the link of another language with its language', async () => {
    const form = await result({cta: {es: {label: 'Reserve una llamada', href: cta.en.href}}});
    expect(link(form, 'Reserve una llamada')?.lang).to.equal('es');
  });

  it('have no link whose address is not https', async () => {
    const form = await result({cta: {en: {label: 'Book a call', href: 'javascript:alert(1)'}}});
    expect(link(form, 'Book a call')).to.equal(undefined);
  });

  for (const name of ['Maria', '{phone}', '{reference}', '<b>Maria</b>', 'مريم', 'M'.repeat(80)])
    it(`name the visitor and the reference as they are: ${name.slice(0, 12)}`, async () => {
      const next_step = {en: 'We call {phone}.'};
      const next_step_named = {en: '{first_name}, we call {phone} about {reference}.'};
      const form = await result({next_step, next_step_named}, {}, name);
      expect(text(form)).to.contain(`${name}, we call (415) 555-0132 about ${reference}.`);
      const card = form.shadowRoot!.querySelector('.card')!;
      expect(card.scrollWidth, 'a long name is broken').to.be.at.most(card.clientWidth);
      expect(card.querySelector('b')).to.equal(null);
    });
});
