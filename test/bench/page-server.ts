/** Versions of a simple partner page: without a form, with a plain HTML form, and with the documented snippet. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {formFields, type Field} from '../../contract/fields.ts';
import {afterTouch} from '../../form/words/en.ts';
import {onePartner} from '../../server/config/partners.ts';
import {noChoices} from '../../server/snippets/choices.ts';
import type {Attributes} from '../../server/snippets/markup.ts';
import {snippetParts} from '../../server/snippets/parts.ts';
import {platforms} from '../../server/snippets/platforms.ts';
import type {EmbedVersion} from '../../server/versions/embed-versions.ts';

export type PartnerPages = {
  origin: string;
  /**
   * Adds pages with the snippet of "Your own HTML".
   * @param name what the names of the pages begin with
   */
  embed(publicUrl: string, version: EmbedVersion, name: string): void;
  close(): void;
};

const words =
  'Many people who open a business pay for it from more than one source. What you own already may count for more than you think. ';

const page = (lang: string, content: string) => `<!doctype html>
<html lang="${lang}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Open a business</title>
    <link rel="icon" href="data:," />
    <style>
      body { font: 18px/1.6 system-ui, sans-serif; margin: 0 auto; max-width: 44rem; padding: 1rem; }
      label, input, select { display: block; font: inherit; margin-block: .25rem; }
    </style>
  </head>
  <body>
    <h1>Open a business of your own</h1>
    <p>${words}</p>
    ${content}
    ${`<p>${words.repeat(6)}</p>`.repeat(8)}
  </body>
</html>
`;

/** The fields of the widget as a plain HTML form. */
function plainForm(): string {
  const labels: Readonly<Record<string, string>> = afterTouch.labels;
  const controls = Object.entries(formFields as Readonly<Record<string, Field>>).map(
    ([name, {choices, kind}]) =>
      choices || kind === 'flag'
        ? `<label>${labels[name]}<select name="${name}">${(choices ?? ['No', 'Yes']).map((choice) => `<option>${choice}</option>`).join('')}</select></label>`
        : `<label>${labels[name]}<input name="${name}" required /></label>`,
  );
  return `<form>${controls.join('\n')}<button>Send</button></form>`;
}

export async function servePartnerPages(): Promise<PartnerPages> {
  const pages = new Map([
    ['/alone', page('en', '')],
    ['/plain', page('en', plainForm())],
  ]);
  const server = createServer((request, response) => {
    const body = pages.get(request.url ?? '');
    response.writeHead(body ? 200 : 404, {'Content-Type': 'text/html; charset=utf-8'}).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    embed(publicUrl, version, name) {
      const partner = onePartner({key: 'acme', cid: '1001', origins: ['https://www.acme.example']});
      const snippet = (chosen?: Attributes) => {
        const attributes = {...noChoices.attributes, ...chosen};
        const parts = snippetParts({publicUrl}, version, partner, {...noChoices, attributes});
        return platforms.html.blocks(parts)[0]?.code ?? '';
      };
      const contactFirst = {order: 'contact-first'};
      const single = {layout: 'single'};
      pages
        .set(`/${name}`, page('en', snippet()))
        .set(`/${name}-es`, page('es', snippet()))
        .set(`/${name}-contact`, page('en', snippet(contactFirst)))
        .set(`/${name}-standard`, page('en', snippet({'lead-type': 'standard'})))
        .set(`/${name}-single`, page('en', snippet(single)))
        .set(`/${name}-single-contact`, page('en', snippet({...single, ...contactFirst})));
    },
    close: () => server.close().closeAllConnections(),
  };
}
