/** The services of the recipes, as their public documentation describes them. docs/recipes/ names its pages. */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {text} from 'node:stream/consumers';
import {runInNewContext} from 'node:vm';
import {closeAtOnce, listen} from '../support/listening.ts';

export type Service<Records> = {
  url: string;
  /** What the service has, oldest first. */
  records: Records;
  /** Requests with such a status from now on; 0: as the documentation says. */
  failWith(status: number, headers?: Record<string, string>): void;
  /** How many requests came. */
  requests(): number;
  close(): Promise<void>;
};

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

async function serve<Records>(records: Records, handle: Handler): Promise<Service<Records>> {
  let [failure, failureHeaders, requests]: [number, Record<string, string>, number] = [0, {}, 0];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests += 1;
      if (failure) response.writeHead(failure, failureHeaders).end('failed');
      else handle(request, body, response);
    });
  });
  const {url} = await listen(server);
  return {
    url,
    records,
    failWith(status, headers = {}) {
      [failure, failureHeaders] = [status, headers];
    },
    requests: () => requests,
    close: () => closeAtOnce(server),
  };
}

const replyJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));

export const hubSpotToken = 'pat-na1-sample';
/** The properties that HubSpot has for each contact, and those that the recipe has the reader make. */
const hubSpotProperties = [
  ...['email', 'firstname', 'lastname', 'phone'],
  ...['prequal_reference', 'prequal_lead_id', 'prequal_partner', 'prequal_total', 'prequal_campaign'],
];

type Contact = Record<string, unknown>;

/**
 * HubSpot's upsert of contacts: a contact is found by the property `idProperty`, and keeps properties that are not
 * sent. A property that does not exist is an error.
 */
export const startHubSpot = () => {
  const contacts = new Map<string, Contact>();
  return serve(contacts, (request, body, response) => {
    if (request.headers.authorization !== `Bearer ${hubSpotToken}`)
      return replyJson(response, 401, {status: 'error', category: 'INVALID_AUTHENTICATION'});
    if (`${request.method} ${request.url}` !== 'POST /crm/objects/2026-03/contacts/batch/upsert')
      return replyJson(response, 404, {});
    const {inputs} = JSON.parse(body) as {
      inputs: {id: string; idProperty: string; properties: Contact}[];
    };
    const isValid = inputs.every(
      ({id, idProperty, properties}) =>
        idProperty === 'email' &&
        id.includes('@') &&
        Object.keys(properties).every((name) => hubSpotProperties.includes(name)),
    );
    if (!isValid) return replyJson(response, 400, {status: 'error', category: 'VALIDATION_ERROR'});
    const results = inputs.map(({id, properties}) => {
      const contact = contacts.get(id.toLowerCase());
      contacts.set(id.toLowerCase(), {...contact, ...properties});
      return {id: String(contacts.size), new: contact === undefined, properties};
    });
    return replyJson(response, 200, {status: 'COMPLETE', results});
  });
};

export const organization = '00D000000000001';

/**
 * Web-to-Lead makes a lead of each form that names the organization, has the required fields, and whose values fit
 * into the fields of Salesforce. It answers 200 in any case.
 */
export const startSalesforce = () => {
  const leads: Record<string, string>[] = [];
  return serve(leads, (request, body, response) => {
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const lead = Object.fromEntries(new URLSearchParams(body));
    const hasFields = lead['oid'] === organization && lead['last_name'] && lead['company'];
    const fits = (lead['first_name'] ?? '').length <= 40 && (lead['last_name'] ?? '').length <= 80;
    if (isForm && hasFields && fits) leads.push(lead);
    response.writeHead(200, {'content-type': 'text/html'}).end('<html></html>');
  });
};

/** An incoming webhook of Slack: JSON with a text is posted, all else is `invalid_payload`. */
export const startSlack = () => {
  const messages: string[] = [];
  return serve(messages, (request, body, response) => {
    const {text: message} = JSON.parse(body) as {text?: unknown};
    if (request.headers['content-type'] !== 'application/json' || typeof message !== 'string')
      return response.writeHead(400).end('invalid_payload');
    messages.push(message);
    return response.writeHead(200).end('ok');
  });
};

export const sheetSecret = 'a secret of the sheet';

type Cell = string | number;

/**
 * What a cell of a sheet becomes if a script or a person enters the value: an apostrophe makes the rest a text, and a
 * text that begins with a sign of a formula becomes a formula.
 */
function entered(value: Cell): Cell | {formula: string} {
  if (typeof value === 'number') return value;
  if (value.startsWith("'")) return value.slice(1);
  if (/^[=+]/.test(value)) return {formula: value};
  return value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value;
}

/**
 * A script in a sheet, published as a web app. What it returns is read at another address, to which the reply
 * redirects. A script that fails is answered with 200 and a page that shows the error.
 */
export const startSheet = (code: string) => {
  const rows: (Cell | {formula: string})[][] = [];
  // The script makes its arrays outside of this program, so that they are copied before they are compared.
  let [locked, output] = [false, ''];
  const range = (row: number) => ({
    createTextFinder: (wanted: string) => ({
      matchEntireCell: () => ({
        findNext() {
          const index = rows.findIndex(([first]) => first === wanted);
          return index === -1 ? null : {getRow: () => index + 1};
        },
      }),
    }),
    setValues: ([values]: [Cell[]]) => void (rows[row - 1] = Array.from(values, entered)),
  });
  const sheet = {
    getRange: (row: number | string) => range(Number(row)),
    appendRow: (values: Cell[]) => void rows.push(Array.from(values, entered)),
  };
  const script = runInNewContext(`${code}; doPost`, {
    ContentService: {createTextOutput: (content: string) => content},
    LockService: {
      getScriptLock: () => ({
        waitLock() {
          if (locked) throw new Error('The lock was not released');
          locked = true;
        },
        releaseLock: () => void (locked = false),
      }),
    },
    PropertiesService: {getScriptProperties: () => ({getProperty: () => sheetSecret})},
    SpreadsheetApp: {getActiveSpreadsheet: () => ({getSheets: () => [sheet]}), flush: () => undefined},
  }) as (request: {postData: {contents: string}}) => string;

  return serve(rows, ({method, url}, body, response) => {
    if (method === 'GET' && url === '/echo') return response.end(output);
    try {
      output = script({postData: {contents: body}});
    } catch (error) {
      return response.writeHead(200).end(`<html>${String(error)}</html>`);
    }
    return response.writeHead(302, {location: '/echo'}).end();
  });
};
