/** The JSON Schema of the file, by which editors complete it, explain it and mark what is wrong. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, suite, test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import {defaultPolicy} from '../../../calculator/policy.ts';
import {partner} from '../../../demo/partner.ts';
import {runCommand} from '../../support/operator.ts';
import {startTestServer} from '../../support/test-server.ts';

type Schema = {$id?: string; properties?: Record<string, Schema>; description?: string};

const server = await startTestServer();
after(() => server.close());
const response = await server.fetch('/schemas/lead-prequal.json');
const published = (await response.json()) as Schema;
const ajv = new Ajv2020({strict: true, strictTypes: false, validateFormats: false});
const isValid = ajv.compile(published);

const acme = {key: 'Acme', origins: ['https://www.acme.example']};
const valid = (file: object) => isValid(file) || ajv.errorsText(isValid.errors);

suite('the schema of the file', () => {
  test('the server publishes it for editors, and "config schema" prints it', async () => {
    assert.equal(response.headers.get('content-type'), 'application/schema+json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
    const {$id, ...schema} = published;
    assert.equal($id, 'https://leads.example.com/schemas/lead-prequal.json');
    const {stdout} = await runCommand({}, 'config', 'schema');
    assert.deepEqual(JSON.parse(stdout), schema);
  });

  test('the examples of the guides are valid', () => {
    for (const guide of ['docs/partners.md', 'docs/destinations.md']) {
      const examples = readFileSync(guide, 'utf8').matchAll(
        /```json\n(\{\n {2}"(?:destinations|partners)"[^]*?)```/g,
      );
      const files = [...examples].map(([, text = '']) => JSON.parse(text) as object);
      assert.ok(files.length > 0, guide);
      for (const file of files) assert.equal(valid({partners: [acme], ...file}), true);
    }
  });

  test('the sample partner, and what else the server takes, is valid', () => {
    const $schema = 'https://leads.example.com/schemas/lead-prequal.json';
    const origins = ['http://localhost:*'];
    assert.equal(valid({$schema, partners: [{...partner, origins}]}), true);
    const colors = {accent: '#0B7A5A'};
    const fields = {colors, context_fields: ['brand', {name: 'store'}]};
    const caller = {user: 'acme', password_sha256: '0'.repeat(64), cids: ['1001']};
    const keys = {policy: defaultPolicy, callers: [caller], sign_in_exempt: ['10.0.0.0/8'], retain_days: 365};
    assert.equal(valid({...keys, partners: [{...acme, ...fields}]}), true);
  });

  test('a field that does not exist, and a field that is missing, are marked', () => {
    const {origins, ...others} = acme;
    assert.equal(isValid({partners: [{...acme, orgins: origins}]}), false);
    assert.equal(isValid({partners: [others]}), false);
    assert.equal(isValid({partners: [acme], retain_dais: 30}), false);
    assert.equal(
      isValid({partners: [acme], destinations: {crm: {type: 'webhok', credentials: 'CRM'}}}),
      false,
    );
  });

  test('every field has a description', () => {
    const undescribed = (schema: unknown, path: string): string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const fields = Object.entries((schema as Schema).properties ?? {});
      return [
        ...fields.filter(([, {description = ''}]) => !description.endsWith('.')).map(([name]) => path + name),
        ...Object.entries(schema).flatMap(([key, part]) => undescribed(part, `${path}${key}/`)),
      ];
    };
    assert.deepEqual(undescribed(published, ''), []);
  });
});
