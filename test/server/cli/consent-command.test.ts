/** What `consent show` and the page of a lead say of a screen: what the server knows, and what a browser reports, apart. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {suite, test} from 'node:test';
import {routes} from '../../../server/pages/routes.ts';
import type {Consent} from '../../../server/leads/stored-lead.ts';
import {databaseKinds} from '../../support/operator.ts';
import {servePages} from '../../support/pages.ts';
import {newEntry, sampleConsent} from '../../support/sample-leads.ts';

const words = 'With {button}, I agree to the [Terms](https://acme.example/terms).';
const withButton = (button: string) => `With ${button}, I agree to the Terms (https://acme.example/terms).`;
const reported = 'The browser reports that its button said: ';
const changed = 'The browser reports that a translator, or a script, had changed these words.';
const cases: readonly [Partial<Consent>, text: string, said: string[]][] = [
  [{form: {button: 'pay me $1', verbatim: true}}, withButton('[button]'), [`${reported}pay me $1`]],
  [{}, withButton('[button]'), ['What the button said is not known.']],
  [{form: {button: 'Enviar', verbatim: false}}, withButton('[button]'), [`${reported}Enviar`, changed]],
  [{script: 'none', form: {button: 'Send'}}, withButton('Send'), []],
  [{textLanguage: undefined}, words, []],
];
const unescaped = (html: string) =>
  html.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

for (const {name, postgres, skip} of databaseKinds)
  suite(`the record of a consent over ${name}`, {skip}, () => {
    test('has the words of the server, and apart from them what a browser says, in each form', async (t) => {
      const pages = await servePages(t, routes, {postgres});
      const cookie = await pages.sessionOf('admin');
      for (const [changes, text, said] of cases) {
        const consent = {...sampleConsent, textLanguage: 'en', words, ...changes};
        const entry = newEntry({partner: 'acme', consent});
        await pages.accept(entry);
        const shown = (await pages.run('consent', 'show', entry.id)).stdout.replace(/\n +/g, ' ');
        const page = unescaped((await pages.ask(`/leads/${entry.id}`, {headers: {cookie}})).text);
        for (const each of [shown, page])
          for (const part of [text, ...said]) assert.ok(each.includes(part), part);
        assert.equal(/<blockquote>([^]*?)<.blockquote>/.exec(page)?.[1], text);
        assert.equal(/^In plain words +(.*)$/m.exec(shown)?.[1] ?? words, text);
        assert.deepEqual(
          [...shown.matchAll(/^On the screen +(.*)$/gm)].map(([, line]) => line),
          said,
        );
        assert.doesNotMatch(`${shown}${page}`, /As shown|With (pay|Enviar)/);
        const unchanged = {true: 'yes', false: 'no', undefined: undefined}[`${changes.form?.verbatim}`];
        for (const each of [shown, (await pages.run('leads', 'show', entry.id)).stdout])
          assert.equal(/^Text unchanged +(.*)$/m.exec(each)?.[1], unchanged);
      }
      await pages.run('leads', 'export', join(pages.folder, 'all.jsonl'), '--consents');
      assert.match(readFileSync(join(pages.folder, 'all.jsonl'), 'utf8'), /"reported":{.*"verbatim":false/);
    });
  });
