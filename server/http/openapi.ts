/**
 * `/openapi.json`, which is made from the operations and their schemas, `/docs`, a page to try the API on, and the
 * published JSON Schemas: of the events that webhooks get, and of lead-prequal.json.
 */
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, extname, join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {Router} from 'express';
import {z} from 'zod';
import {paths} from '../../contract/api.ts';
import {problems, problemTypePrefix, type ProblemCode} from '../../contract/problems.ts';
import {leadEventTypes} from '../../contract/lead-events.ts';
import {businessFileSchema} from '../config/file.ts';
import {eventComponentOf, eventComponents, leadEventJsonSchema, leadEventWords} from '../leads/lead-event.ts';
import {expectation, leadFields} from '../leads/lead-schema.ts';
import {commonProblems, elsewhereProblem, operations, tags, type Operation} from './operations.ts';
import {maxAge} from './public-lists.ts';
import {problemSchema} from './wire-schemas.ts';

/** The version of the API, as the specification gives it. This software has a version of its own. */
const apiVersion = '1.0.0-beta';

const security = {basic: [{basic: []}], token: [{token: []}], none: []};

function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({jsonSchema, path}) {
      const [parent, name] = path.slice(-2).map(String);
      // The types of leads exclude each other, but linters warn of `oneOf`, because a standard lead needs no `lead_type`.
      if (jsonSchema.oneOf) {
        jsonSchema.anyOf = jsonSchema.oneOf;
        delete jsonSchema.oneOf;
      }
      // `date-time` says the same as the long pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (io === 'output' || parent !== 'properties' || !name) return;
      if (name !== 'lead_type' && !Object.hasOwn(leadFields, name)) return;
      jsonSchema.description = expectation(name);
    },
  });
  delete made.$schema;
  return made;
}

const header = (description: string, required: boolean) => ({
  description,
  required,
  schema: {type: 'string'},
});

const retryAfter = ['Retry-After', 'Seconds.'] as const;
/** The headers that clients need in order to handle error responses, by status. */
const headerOfStatus: Readonly<Record<number, readonly [name: string, description: string]>> = {
  401: ['WWW-Authenticate', 'Basic, and its realm.'],
  405: ['Allow', 'The methods that the path has.'],
  409: retryAfter,
  429: retryAfter,
  503: retryAfter,
};

function problemHeaders(status: number) {
  const [name, description] = headerOfStatus[status] ?? [];
  return name && description ? {headers: {[name]: header(description, true)}} : {};
}

function problemResponses(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code][0]);
  const responses = [...byStatus].map(([status, same]) => {
    const types = same.map((code) => `${problemTypePrefix}${code}`);
    const schema = {allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {type: {enum: types}}}]};
    const description = same.map((code) => problems[code][1]).join('; ');
    const content = {'application/problem+json': {schema}};
    return [String(status), {description, ...problemHeaders(status), content}];
  });
  return Object.fromEntries(responses) as Record<string, unknown>;
}

/** What requests get that no operation declares. An operation refers to those of them that it shares. */
const sharedResponses = problemResponses([...commonProblems, elsewhereProblem]);

const referringToShared = (responses: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      isDeepStrictEqual(response, sharedResponses[status])
        ? {$ref: `#/components/responses/${status}`}
        : response,
    ]),
  );

function describe(name: string, operation: Operation) {
  const {success, body, summary, description, tag, parameters, method} = operation;
  const headers = Object.entries(success.headers ?? {}).map(([name, {description, required}]) => [
    name,
    header(description, required),
  ]);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    security: security[operation.security],
    parameters: parameters.map((parameter) => ({...parameter, schema: {type: 'string'}})),
    ...(body && {
      requestBody: {
        required: true,
        content: {'application/json': {schema: jsonSchema(body.schema, 'input'), example: body.example}},
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: Object.fromEntries(headers) as Record<string, unknown>,
        content: {'application/json': {schema: jsonSchema(success.body, 'output')}},
      },
      ...referringToShared(problemResponses([...commonProblems, ...operation.problems])),
    },
    method,
  };
}

/** The headers of an event, as Standard Webhooks says. */
const eventHeaders: Readonly<Record<string, string>> = {
  'webhook-id':
    'Identifies the event. It is the same in every attempt: drop an event whose id you have seen.',
  'webhook-timestamp':
    'When this attempt was made, in seconds since 1970. Refuse an event that is older than 5 minutes.',
  'webhook-signature':
    'One or more signatures, separated by spaces: v1, a comma, and HMAC-SHA256 of "<id>.<timestamp>.<body>" in base64.',
};

/** What a receiver may answer, and what that does. */
const eventResponses: Readonly<Record<string, string>> = {
  '2XX': 'The receiver has the event.',
  410: 'The receiver wants no more events. Until an operator resumes the destination, consent.revoked and lead.erased alone are sent, once a day.',
  429: 'The receiver wants fewer events at once. The event is sent again, after the time in Retry-After.',
  503: 'The receiver is not available now. The event is sent again, after the time in Retry-After.',
  default: 'The event is sent again, for three days; consent.revoked and lead.erased until they arrive.',
};

const webhooks = Object.fromEntries(
  leadEventTypes.map((type) => [
    type,
    {
      post: {
        operationId: type,
        summary: leadEventWords[type],
        security: [],
        parameters: Object.entries(eventHeaders).map(([name, description]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: {type: 'string'},
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                allOf: [
                  {$ref: `#/components/schemas/${eventComponentOf(type)}`},
                  {properties: {type: {const: type}}},
                ],
              },
            },
          },
        },
        responses: Object.fromEntries(
          Object.entries(eventResponses).map(([status, description]) => [status, {description}]),
        ),
      },
    },
  ]),
);

export function openapiDocument(publicUrl: string) {
  const described = Object.entries(operations).map(([name, operation]) => {
    const {method, ...description} = describe(name, operation);
    return [operation.path.replace(/:(\w+)/g, '{$1}'), {[method]: description}];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lead submission and pre-qualification',
      version: apiVersion,
      description:
        "Errors are RFC 9457 problems, told apart by their type. Any other path or method is answered as this document's components.responses say.",
      contact: {name: 'The operator of this server', url: publicUrl},
      license: {name: 'MIT', identifier: 'MIT'},
    },
    servers: [{url: publicUrl}],
    tags: Object.entries(tags).map(([name, description]) => ({name, description})),
    paths: Object.fromEntries(described) as Record<string, unknown>,
    webhooks,
    components: {
      responses: sharedResponses,
      securitySchemes: {basic: {type: 'http', scheme: 'basic'}, token: {type: 'http', scheme: 'bearer'}},
      schemas: {Problem: jsonSchema(problemSchema, 'output'), ...eventComponents()},
    },
  };
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Lead service API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${paths.docs}/swagger-ui.css" />
    <script src="${paths.docs}/swagger-ui-bundle.js" defer></script>
    <script src="${paths.docs}/start.js" defer></script>
  </head>
  <body><div id="api"></div></body>
</html>
`;
const start = `SwaggerUIBundle({url: '${paths.openapi}', dom_id: '#api', deepLinking: true, validatorUrl: null});\n`;
/** No other page may frame `/docs`, because such a page could trick a visitor into pressing buttons (clickjacking). */
const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
].join('; ');

export function openapiPages(publicUrl: string): Router {
  const router = Router({caseSensitive: true});
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const document = JSON.stringify(openapiDocument(publicUrl));
  router.get(paths.openapi, (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('json').send(document);
  });
  for (const [path, {$schema, ...schema}] of [
    [paths.leadEventSchema, leadEventJsonSchema()],
    [paths.businessFileSchema, businessFileSchema()],
  ] as const) {
    const published = JSON.stringify({$schema, $id: publicUrl + path, ...schema});
    router.get(path, (_request, response) => {
      response.set({'Access-Control-Allow-Origin': '*', 'Cache-Control': `public, max-age=${maxAge}`});
      response.type('application/schema+json').send(published);
    });
  }
  router.get(paths.docs, (_request, response) => {
    response.set('Content-Security-Policy', policy).type('html').send(page);
  });
  router.get(`${paths.docs}/start.js`, (_request, response) => {
    response.type('js').send(start);
  });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    // The files are kept in memory. A streamed file would stay open for good if its client disconnects while the
    // response waits behind an earlier one on the same connection. An attacker could use up all file descriptors.
    const content = readFileSync(join(assets, file));
    router.get(`${paths.docs}/${file}`, (_request, response) => {
      response.type(extname(file)).send(content);
    });
  }
  return router;
}
