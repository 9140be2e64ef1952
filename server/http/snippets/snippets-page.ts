/** The page of snippets: the form, the choices beside it, and below the snippet that makes this form on a platform. */
import {paths, wordpressPlugin} from '../../../contract/api.ts';
import {html, Html, htmlPage} from '../../html/html.ts';
import {
  blocksOf,
  platformNames,
  platforms,
  leadToApplyPage,
  type Block,
  type Platform,
  type PlatformName,
} from '../../snippets/platforms.ts';
import type {SnippetParts} from '../../snippets/markup.ts';
import {receiverWarning} from '../../snippets/receiver.ts';
import type {EmbedVersion} from '../../versions/embed-versions.ts';
import {choiceFields, type Chosen} from './choice-fields.ts';
import {isShownAsHtml} from './preview.ts';

/** How wide the preview is. */
export const widths = ['desktop', 'phone'] as const;

/** What the form in the preview sends. The snippet has a choice of its own, `sandbox`. */
export const sendings = ['samples', 'leads'] as const;

/** Everything on the page follows from the query of its address. */
export type State = Chosen & {
  parts: SnippetParts;
  host: PlatformName;
  width: (typeof widths)[number];
  sends: (typeof sendings)[number];
  version: EmbedVersion;
  /** Of the server. */
  publicUrl: string;
};

/** The address of the page in another state. */
export function linkTo({query}: State, changes: Readonly<Record<string, string>>): string {
  const all = Object.entries({...query, ...changes}).filter(([, value]) => value !== '');
  return `?${new URLSearchParams(all)}`;
}

const hosts = Object.fromEntries(platformNames.map((name) => [name, platforms[name].name]));

/** Links to the page in another state, which work without the script. @param name of the choice that they make */
function switchOf(
  state: State,
  name: 'host' | 'width' | 'sends',
  label: string,
  options: Readonly<Record<string, string>>,
): Html {
  const [classes, part, current] =
    name === 'host' ? ['platforms', 'snippet', 'page'] : [`switch ${name}`, 'preview', 'true'];
  return html`<nav class="${classes}" aria-label="${label}">
    ${Object.entries(options).map(
      ([value, text]) =>
        html`<a
          id="${name}-${value}"
          href="${linkTo(state, {[name]: value})}#${part}"
          data-choice="${name}"
          data-value="${value}"
          ${value === state[name] && html`aria-current="${current}"`}
          >${text}</a
        >`,
    )}
  </nav>`;
}

const block = ({title, code}: Block, index: number) =>
  html`<div class="block">
    <div class="head">
      <h3 id="block-${index}">${title}</h3>
      <button type="button" class="copy" aria-describedby="block-${index}" hidden>Copy</button>
    </div>
    <pre tabindex="0" role="region" aria-labelledby="block-${index}"><code>${code}</code></pre>
  </div>`;

/** What the choice of the version brings with it. The apply page always has the newest one. */
function versionNote({host: platform, choices, version}: State): Html | undefined {
  if (leadToApplyPage.has(platform)) return undefined;
  if (choices.version === 'newest')
    return html`This form changes by itself with every new version, so the browser cannot check what it loads.`;
  if (version.released) return undefined;
  return html`${version.name} is a test version of the form. Do not publish this snippet: it stops working
  when the form is built again.`;
}

/** What is different about the snippet from what readers may expect. */
function notes(state: State): Html[] {
  const found = [
    !state.partner &&
      html`This is a sample, and its form sends nothing. Write
        <a href="#choice-partner">your partner key</a> to get the snippet for your page.`,
    state.partner &&
      state.parts.attributes['sandbox'] !== undefined &&
      html`This is the snippet of a sample, which sends no leads. Before you publish, choose that they are
      sent.`,
    Object.keys(state.faults).length > 0 && html`Values with an error message are left out of the snippet.`,
    versionNote(state),
    pluginNote(state),
  ];
  return found.filter((note) => note instanceof Html);
}

/** The plugin for WordPress, from the version on that has it. Its settings are the two values. */
function pluginNote({host: platform, parts, version, publicUrl}: State): Html | undefined {
  if (platform !== 'wordpress' || version.manifest.integrity[wordpressPlugin] === undefined) return undefined;
  return html`Easier, and authors may use it, too:
    <a href="${paths.embed}/${wordpressPlugin}" download>install our plugin</a>, and write
    <code>${publicUrl}</code> and <code>${parts.partner}</code> into its settings. Then you need no snippet.`;
}

/** The sign is not a colour alone, and screen readers read the word. */
const warningBox = (text: string) =>
  html`<div class="warning" role="alert">
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 2 1 22h22zm-1.25 7h2.5v6.5h-2.5zm0 8h2.5v2.5h-2.5z" fill-rule="evenodd" />
    </svg>
    <p><strong>Warning:</strong> ${text}</p>
  </div>`;

function snippet(state: State): Html {
  const {host: platform, parts} = state;
  const shown: Platform = platforms[platform];
  const warning = receiverWarning(platform, parts);
  return html`<section id="snippet" aria-labelledby="snippet-title">
    <h2 id="snippet-title">Your snippet</h2>
    ${switchOf(state, 'host', 'Where the form goes', hosts)}
    <div id="snippet-content">
      ${warning !== undefined && warningBox(warning)}
      ${notes(state).map((note) => html`<p class="note">${note}</p>`)}
      <ol>
        ${shown.steps.map((step) => html`<li>${step}</li>`)}
      </ol>
      ${blocksOf(platform, parts).map(block)}
      <p role="status" id="copied" class="unseen"></p>
    </div>
  </section>`;
}

/** Whether the preview is the apply page, which always sends real leads. Without a partner there is none. */
const showsApplyPage = ({host: platform, partner, sends}: State) =>
  leadToApplyPage.has(platform) && partner !== undefined && sends === 'leads';

/** Whether the form in the preview sends leads, and to whom. */
function sendingNote({host: platform, partner, parts, sends}: State): Html {
  const {endpoint, sandbox} = parts.attributes;
  if (!partner)
    return html`The form shows samples. It sends nothing, because it needs your partner key for that.`;
  if (leadToApplyPage.has(platform)) {
    const rest = partner.contextFields.length > 0 ? ', but for the hidden fields in its address' : '';
    return sends === 'leads'
      ? html`Your visitors see this page. What you choose here does not change it${rest}. What you send from
        it is a real lead.`
      : html`This is the form of your apply page, with samples. What you choose here does not change that
        page${rest}.`;
  }
  if (sandbox !== undefined)
    return html`The form shows samples. It sends nothing, and neither does the snippet.`;
  if (sends === 'samples')
    return html`What you type into this form stays here. The form on your page sends real leads.`;
  if (endpoint !== undefined)
    return html`In the preview the form cannot be sent, because its leads go to another server. On your page
    it can.`;
  return html`What you send from here is a real lead.`;
}

/** What an upstream will answer is not known before it has the lead. */
function estimateNote({partner}: State): Html | undefined {
  if (!partner?.leadTypes.includes('prequalification') || partner.answerFrom !== undefined) return undefined;
  const line = (value: string) => html`<code>"show_estimate": "${value}"</code>`;
  return partner.showsEstimate
    ? html`On your page, visitors see the total before they give their contact data. The line
      ${line('after-contact')} in the configuration changes that.`
    : html`On your page, visitors give their contact data before they see the total. The line
      ${line('before-contact')} in the configuration changes that.`;
}

/** The samples know nothing of the partner's configuration. */
function questionsNote({partner, sends}: State): Html | undefined {
  if (!partner) return undefined;
  const labels = partner.questions.map(({label}) => label['en']).join(', ');
  if (labels === '')
    return html`A question of your own is a line in <code>ask</code> of the configuration:
      <code>{"name": "since", "label": {"en": "In business since"}, "kind": "text"}</code>`;
  return sends === 'samples' ? html`On your page, the form also asks: ${labels}.` : undefined;
}

function previewNotes(state: State): Html[] {
  const isSame = showsApplyPage(state) || !isShownAsHtml(state.host);
  const plain = isSame ? undefined : html`It is shown on a page in plain HTML, with the same settings.`;
  return [sendingNote(state), plain, estimateNote(state), questionsNote(state)].filter(
    (note) => note !== undefined,
  );
}

function previewSection(state: State): Html {
  const {width, partner, parts} = state;
  const source = showsApplyPage(state)
    ? `${paths.apply}/${partner?.key}${new URL(parts.applyPage.applyUrl).search}`
    : `${paths.snippets}/preview${linkTo(state, partner ? {} : {partner: ''})}`;
  return html`<section id="preview" aria-labelledby="preview-title">
    <div class="head">
      <h2 id="preview-title">The form</h2>
      ${switchOf(state, 'width', 'Width of the preview', {desktop: 'Desktop', phone: 'Phone'})}
      ${switchOf(state, 'sends', 'What the form below sends', {
        samples: 'Sends nothing: shows samples',
        leads: 'Sends real leads',
      })}
    </div>
    <div id="preview-notes">${previewNotes(state).map((note) => html`<p class="note">${note}</p>`)}</div>
    <iframe class="${width}" title="Preview of the form" src="${source}"></iframe>
  </section>`;
}

export function snippetsPage(state: State): Html {
  const {host: platform, width, sends} = state;
  return htmlPage(
    html`lang="en"`,
    html`<meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>Put the form on your page</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${paths.snippets}/snippets.css" />
      <script defer src="${paths.snippets}/snippets.js"></script>`,
    html`<main>
      <header>
        <h1>Put the form on your page</h1>
        <p class="intro">
          Try it, choose how it looks, and paste <a href="#snippet">the snippet</a> into your page.
        </p>
      </header>
      ${previewSection(state)}
      <form method="get" id="choices" aria-label="Your choices">
        <input type="hidden" name="host" value="${platform}" />
        <input type="hidden" name="width" value="${width}" />
        <input type="hidden" name="sends" value="${sends}" />
        ${choiceFields(state)}
        <button type="submit" class="show">Show</button>
      </form>
      ${snippet(state)}
    </main>`,
  );
}
