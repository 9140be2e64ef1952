/**
 * Random questions of partners, and random answers to them, sent by what the form does and by the apply page without a
 * script. Form, server, event, CSV and the lead's page must say the same of them, or have the same problem with them.
 */
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import type {TestContext} from 'node:test';
import {fieldsOf, fieldTable, ownRows, pagesOf, withAsked, type FieldName} from '../../form/pages.ts';
import {readFields, type Values} from '../../form/read-fields.ts';
import {tidy} from '../../form/tidy.ts';
import {formWords} from '../../form/words/form-words.ts';
import {sayError} from '../../form/words/words.ts';
import {csvWriter} from '../../server/admin/exporting.ts';
import {printable} from '../../server/admin/visible.ts';
import {askSchema, type Question} from '../../server/config/questions.ts';
import type {LeadEvent} from '../../server/leads/lead-event.ts';
import type {OwnAnswer} from '../../server/leads/own-answers.ts';
import {routes} from '../../server/pages/routes.ts';
import {writeConfig} from './config-file.ts';
import {formConfig, sendLead} from './embed-client.ts';
import {fieldCodes, readProblem} from './http.ts';
import {openFor} from './opened.ts';
import {ownHost, servePages} from './pages.ts';
import {attributeOf, plainBrowser, textOf, type PlainPage} from './plain-browser.ts';
import fc from './properties.ts';
import {temporaryFolder} from './temporary-folder.ts';
import {until} from './until.ts';
import {startWebhookReceiver} from './webhook-receiver.ts';

const parts = ['=', '"', ',', '<b>', '&amp;', "'", '\\', '\u202e', 'é', '🎉', ' ', 'a'];
const text = fc.oneof(
  fc.string({unit: 'grapheme', maxLength: 60}),
  fc.array(fc.constantFrom(...parts), {maxLength: 40}).map((each) => each.join('')),
);
const words = text.map((each) => each.trim()).filter((each) => /^[^\p{C}{}]{1,120}$/u.test(each));
const byLanguage = fc.record({en: words, es: words}, {requiredKeys: ['en']});
/** Some are also names of what an element, an object or a page has. */
const names = ['revenue', 'company', 'promise', 'name', 'length', 'id', 'other', 'lang'];
const value = fc.stringMatching(/^[A-Za-z\d][A-Za-z\d_-]{0,39}$/).filter((each) => !/^\d+$/.test(each));
const choices = fc.uniqueArray(
  fc.tuple(value, byLanguage).map(([value, texts]) => ({value, ...texts})),
  {minLength: 2, maxLength: 12, selector: (each) => each.value},
);
const gone = 'taken-out-of-the-file';
/** A question as the file has it, and what is typed or chosen: it may be a choice that the file has no more. */
const asked = fc
  .record({
    name: fc.oneof(fc.constantFrom(...names), fc.stringMatching(/^[a-z][a-z\d_]{0,39}$/)),
    label: byLanguage,
    step: fc.constantFrom('funds', 'contact'),
    kind: fc.oneof(fc.constant({kind: 'text' as const}), fc.record({choices})),
    typed: fc.oneof(text, fc.string({unit: 'binary', maxLength: 210}), fc.constant('=1+1')),
    chosen: fc.nat(12),
  })
  .map(({kind, typed, chosen, ...more}) => {
    if (!('choices' in kind)) return {question: {...more, ...kind}, given: typed.replace(/[\r\n]/g, '')};
    const given = chosen === 12 ? gone : kind.choices[chosen]?.value;
    return {question: {...more, ...kind}, given: given ?? ''};
  });
const visit = fc
  .record({
    all: fc.uniqueArray(asked, {minLength: 1, maxLength: 6, selector: ({question}) => question.name}),
    required: fc.nat(8),
    language: fc.constantFrom('en' as const, 'es' as const),
    lead_type: fc.constantFrom('standard' as const, 'prequalification' as const),
  })
  .map(({all, required, ...more}) => ({
    ...more,
    questions: all.map(({question}, index) => ({...question, required: index === required})),
    typed: Object.fromEntries(all.map(({question, given}) => [question.name, given])),
  }))
  .filter(({questions}) => askSchema.safeParse(questions).success);

const finances = {credit_score: 'Above 720', retirement: '120000', cash: '50000', investments: '0'};
const contact = {first_name: 'Ana', last_name: 'Silva', phone: '4155550132'};

const spaced = (said = '') => said.replace(/\s+/g, ' ').trim();
const elementsOf = (page: PlainPage) => ['p', 'input', 'select', 'textarea'].flatMap((tag) => page.all(tag));
/** The fields that a page without a script marks as wrong. */
const wrongOn = (page: PlainPage) =>
  elementsOf(page).flatMap((each) =>
    attributeOf(each, 'aria-invalid') === 'true' ? [attributeOf(each, 'name')] : [],
  );

/** @returns how many visits ended with a lead, with a problem of the form, and with one of the server */
export async function tryQuestions(t: TestContext, numRuns: number, seed?: number) {
  const visits = fc.sample(visit, {numRuns, ...(seed !== undefined && {seed})});
  const receiver = await openFor(t, startWebhookReceiver());
  const partners = visits.map(({questions, lead_type}, index) => ({
    ...{key: `p${index}`, name: 'Acme', call_promise: 'Soon.', ask: questions, send_to: ['crm']},
    lead_types: [lead_type],
  }));
  const crm = {type: 'webhook', url: `http://127.0.0.1:${receiver.port}/`, credentials: 'CRM'};
  const operated = await servePages(t, routes, {
    settings: {
      CONFIG_FILE: writeConfig(temporaryFolder(t), partners, {crm}),
      CREDENTIALS_CRM_SECRET: receiver.secret,
      TRUST_PROXY: '1',
    },
  });
  const server = await operated.serve();
  const counts = {taken: 0, form: 0, server: 0};
  const expected: {email: string; answers: OwnAnswer[]}[] = [];

  for (const [index, {questions, typed, language, lead_type}] of visits.entries()) {
    const partner = `p${index}`;
    const told = JSON.stringify({questions, typed, language, lead_type});
    const {locale, ...ours} = formWords[language];
    const inForm = (texts: Question['label']) => texts[language] ?? texts['en'];

    // What the form does with the configuration (widget/submission/preparation.ts), and with what is typed.
    const {ask = []} = await formConfig(server, partner, {lang: locale});
    const rows = {...fieldTable, ...ownRows(ask)};
    const fields = fieldsOf(withAsked(pagesOf(lead_type, {order: '', layout: 'single'}), ask).flat());
    const answersOf = (email: string) => ({
      ...(lead_type === 'prequalification' && finances),
      ...{...contact, email, ...typed},
    });
    const [byForm, byPage] = [`${randomUUID()}@form.example`, `${randomUUID()}@page.example`];
    const values: Values = answersOf(byForm);
    for (const name of fields) values[name] = tidy(rows[name].kind, values[name] ?? '', locale);
    const {lead, errors} = readFields(fields, values, rows);

    const network = `10.0.${index >> 8}.${index & 255}`;
    const browser = plainBrowser(server.url, {'x-forwarded-for': network});
    const page = await browser.open(`/apply/${partner}?lang=${language}`);
    for (const {name, label, choices} of questions as Question[]) {
      const shown = ask.find((each) => each.name === name);
      const inWords = choices?.map(({value, ...texts}) => [value, inForm(texts)]);
      const choicesShown = shown?.choices && Object.entries(shown.choices);
      assert.deepEqual([shown?.label, choicesShown], [inForm(label), inWords], told);
      assert.ok(page.text.includes(spaced(inForm(label))), told);
      const [element, ...others] = elementsOf(page).filter((each) => attributeOf(each, 'id') === name);
      assert.deepEqual([attributeOf(element, 'name'), others], [name, []], told);
      const options = element?.childNodes.filter(({nodeName}) => nodeName === 'option').map(textOf) ?? [];
      assert.deepEqual(
        options.map(spaced),
        inWords ? ['', ...inWords.map(([, said]) => spaced(said))] : [],
        told,
      );
    }

    const reply = await browser.send(page, answersOf(byPage));
    const isRefused = (wrong: object) =>
      assert.deepEqual([reply.status, wrongOn(reply).toSorted()], [422, Object.keys(wrong).toSorted()], told);
    if (Object.keys(errors).length > 0) {
      counts.form++;
      isRefused(errors);
      const labels = {...ours.labels, ...Object.fromEntries(ask.map(({name, label}) => [name, label]))};
      for (const [name, code] of Object.entries(errors) as [FieldName, 'required'][])
        assert.ok(
          reply.text.includes(spaced(sayError({...ours, locale, labels}, name, code, rows))),
          `${name}: ${told}`,
        );
      continue;
    }
    const response = await sendLead(server, {lead_type, ...lead}, {partner, body: {lang: locale}});
    const isGone = Object.keys(typed).filter((name) => typed[name] === gone);
    if (isGone.length > 0) {
      counts.server++;
      const wrong = fieldCodes(await readProblem(response, 422, 'invalid-lead'));
      assert.deepEqual(wrong, Object.fromEntries(isGone.map((name) => [name, 'invalid'])), told);
      isRefused(wrong);
      continue;
    }
    assert.deepEqual([response.status, reply.status], [201, 200], told);
    counts.taken++;
    const answers = (questions as Question[]).flatMap(({name, label, choices}): OwnAnswer[] => {
      const value = lead[name];
      if (typeof value !== 'string') return [];
      const chosen = choices?.find((choice) => choice.value === value)?.['en'];
      return [{name, label: String(label['en']), value, text: chosen ?? value}];
    });
    expected.push({email: byForm, answers}, {email: byPage, answers});
  }

  await until(() => receiver.received.length >= expected.length);
  const events = receiver.received.map(({body}) => (JSON.parse(body) as LeadEvent).data);
  const eventOf = new Map(events.map((data) => [data.lead.email, data]));
  const {stdout} = await operated.does('leads', 'export', '--format', 'csv');
  const [head = '', ...table] = stdout.split('\r\n');
  const columns = head.split(',').filter((name) => name.startsWith('answer_'));
  const rowOf = new Map(table.map((row) => [row.slice(0, row.indexOf(',')), row]));
  const write = await csvWriter();
  const cookie = await operated.sessionOf('agent');
  const operator = plainBrowser(`http://127.0.0.1:${operated.port}`, {host: ownHost, cookie});
  for (const {email, answers} of expected) {
    const {id, lead} = eventOf.get(email) ?? assert.fail(email);
    assert.deepEqual(lead.answers ?? [], answers);
    const cells = columns.map((column) => answers.find(({name}) => column === `answer_${name}`)?.value);
    const row = rowOf.get(id) ?? assert.fail(id);
    assert.ok(row.endsWith(`,${write([cells]).trimEnd()}`), `${JSON.stringify(answers)} ${row}`);
    const page = await operator.open(`/leads/${id}`);
    const values = page.all('dd').map(textOf).map(spaced);
    const shown = page.all('dt').map((each, index) => `${spaced(textOf(each))}: ${values[index]}`);
    const said = answers.map(
      ({label, text}) => `${spaced(printable(label))}: ${spaced(printable(text ?? ''))}`,
    );
    assert.ok(shown.join('\n').includes(said.join('\n')), `${JSON.stringify(said)} ${JSON.stringify(shown)}`);
  }
  return counts;
}
