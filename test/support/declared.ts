/** Checks that every response in the tests is declared in the OpenAPI document. */
import assert from 'node:assert/strict';
import {Ajv2020} from 'ajv/dist/2020.js';
import {paths} from '../../contract/api.ts';
import {openapiDocument} from '../../server/http/openapi.ts';

/** A response of the server, whichever client was used. */
export type Answer = {status: number; headers: Headers; body: string};

type DeclaredHeader = {required: boolean};
type DeclaredResponse = {headers?: Record<string, DeclaredHeader>; content: Record<string, unknown>};
type Responses = Record<string, DeclaredResponse>;
type Referring = Record<string, DeclaredResponse | {$ref: string}>;

const document = openapiDocument('https://leads.example.com');
const declared = document.paths as Record<string, Record<string, {responses: Referring}>>;
const elsewhere = document.components.responses as Responses;

const ajv = new Ajv2020({strict: false, validateSchema: false});
ajv.addSchema(document, 'openapi');

const apiPath = new RegExp(
  `^(/json|${paths.embedConfig}|${paths.embedLeads}|${paths.embedVersions}|${paths.evidenceKeys})(/|$)`,
);
const templates = Object.keys(declared).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`),
}));

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');
const pointer = (...parts: string[]) => `openapi#/${parts.map(escaped).join('/')}`;

/** A response that several operations refer to. */
const shared = (status: string) => ({at: ['components', 'responses', status], response: elsewhere[status]!});

/** The part of the document that declares the responses to this request with this status. */
function find(method: string, path: string, status: string): {at: string[]; response: DeclaredResponse} {
  const template = templates.find(({pattern}) => pattern.test(path))?.template;
  const operations = template === undefined ? {} : declared[template]!;
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  // A method that the path does not have is refused by the handlers that run before all methods of the path.
  const own = operations[name] ? [name] : Object.keys(operations);
  for (const operation of own) {
    const response = operations[operation]!.responses[status];
    const refusal = Number(status) >= 400;
    if (!response || (operation !== name && !refusal)) continue;
    if ('$ref' in response) return shared(status);
    return {at: ['paths', template!, operation, 'responses', status], response};
  }
  const isDeclared = !operations[name] && elsewhere[status];
  assert.ok(isDeclared, `${method} ${path} is answered with ${status}, which the document does not declare`);
  return shared(status);
}

/** @throws AssertionError when the document does not declare this response to this request */
export function assertDeclared(method: string, path: string, {status, headers, body}: Answer): void {
  const [pathname = ''] = path.split(/[?#]/);
  // A preflight request of a browser is no operation of the API.
  if (!apiPath.test(pathname) || (method === 'OPTIONS' && status === 204)) return;
  const {at, response} = find(method, pathname, String(status));
  const what = `${method} ${pathname.slice(0, 100)}, ${status}`;

  for (const [header, {required}] of Object.entries(response.headers ?? {})) {
    assert.ok(!required || headers.get(header), `${what}: no ${header}`);
  }
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  assert.ok(Object.hasOwn(response.content, mediaType), `${what}: the type ${mediaType} is not declared`);
  if (method === 'HEAD') return assert.equal(body, '', what);
  const $ref = pointer(...at, 'content', mediaType, 'schema');
  const validate = ajv.getSchema($ref);
  assert.ok(validate?.(JSON.parse(body)), `${what}: ${ajv.errorsText(validate?.errors)} in ${body}`);
}
