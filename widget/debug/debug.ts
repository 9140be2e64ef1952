/**
 * The later file `debug`: a box over the page that shows the state of its forms, and what the webmaster should correct.
 * It is loaded if the address of the page has `?prequal-debug`. It shows nothing that a visitor typed.
 */
import {html, render} from 'lit';
import type {FormHost} from '../fields/form-host.ts';
import type {PrequalEvents} from '../page/events.ts';
import {safeDocument} from '../page/safe-document.ts';
import type {Finding} from '../page/diagnosis.ts';
import {findingsOfServer, findingsOnPage, ownScripts, ownVersion} from './findings.ts';
import {debugStyles} from './styles.ts';

export {explain} from '../page/diagnosis.ts';

type Row = readonly [name: string, value: string];

/** What is known of one form. */
type Report = {rows: Row[]; findings: Finding[]; events: string[]};

const reports = new Map<FormHost['element'], Report>();
let box: ShadowRoot | undefined;

function createBox(): ShadowRoot {
  const host = safeDocument.createElement('div');
  host.id = 'lead-prequal-debug';
  const root = host.attachShadow({mode: 'open'});
  if (debugStyles.styleSheet) root.adoptedStyleSheets = [debugStyles.styleSheet];
  safeDocument.documentElement.append(host);
  return root;
}

function draw() {
  box ??= createBox();
  render(
    html`
      <button type="button" aria-label="Close" @click=${({currentTarget}: Event) => close(currentTarget)}>
        ×
      </button>
      ${[...reports.values()].map(reportView)}
    `,
    box,
  );
}

/** The next event of a form does not show the box again, because it may lie over what the webmaster wants to press. */
const close = (button: EventTarget | null) =>
  ((button as HTMLElement).getRootNode() as ShadowRoot).host.remove();

const reportView = ({rows, findings, events}: Report) => html`
  <details open>
    <summary>
      &lt;lead-prequal-form&gt;: ${findings.length === 0 ? 'nothing' : findings.length} to correct
    </summary>
    <ul>
      ${findings.map(({wrong, fix}) => html`<li><strong>${wrong}</strong> ${fix}</li>`)}
    </ul>
    <dl>
      ${[...rows, ['events', events.join(', ')] as const].map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </details>
`;

const eventNames = Object.keys({
  'prequal-ready': true,
  'prequal-start': true,
  'prequal-step': true,
  'prequal-invalid': true,
  'prequal-submit': true,
  'prequal-result': true,
  'prequal-error': true,
} satisfies Record<keyof PrequalEvents, true>);

/** Shows the state of a form, and keeps it up to date. */
export async function showState(host: FormHost): Promise<void> {
  const {element} = host;
  if (reports.has(element)) return;
  const report: Report = {
    rows: stateOf(host),
    findings: findingsOnPage(element),
    // This file was loaded after that event.
    events: ['prequal-ready'],
  };
  reports.set(element, report);
  for (const name of eventNames) {
    element.addEventListener(name, () => {
      report.events.push(name);
      report.rows = stateOf(host);
      draw();
    });
  }
  draw();
  if (host.isSandbox()) return;
  report.findings.push(...(await findingsOfServer(host.endpoint())));
  draw();
}

function stateOf(host: FormHost): Row[] {
  const isSample = host.isSandbox();
  const {origin: server, partner} = host.endpoint();
  const [script] = ownScripts();
  return [
    ['version', ownVersion() ?? 'the newest (v1), or bundled by the page'],
    ['script', script ? wordsOf(script) : 'no tag on the page'],
    ['server', isSample ? 'none, because this is a sample' : server],
    ['partner', isSample ? 'none' : partner || 'not named: the first one of the server'],
    ['origin', `${globalThis.origin}${window === window.parent ? '' : ', in a frame'}`],
    ['lead type', host.leadType()],
    ['language', host.words.locale],
  ];
}

const wordsOf = ({type, integrity}: HTMLScriptElement) =>
  `${type === 'module' ? 'module' : 'classic'}, ${integrity ? 'pinned' : 'not pinned'}`;
