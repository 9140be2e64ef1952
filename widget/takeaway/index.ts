/** What a visitor takes along once there are amounts: as a text, or on paper. A file of its own. */
import {amountParts, totalAmount, type Prequalification} from '../../contract/amounts.ts';
import {countUp} from './count-up.ts';
import type {TakeawayModule, Kit} from '../submission/types.ts';

const styles = `
  .take {
    column-gap: 24px;
    display: flex;
    flex: 1 0 100%;
    flex-wrap: wrap;
  }
  .total[data-drawn] span {
    clip-path: inset(50%);
    position: absolute;
  }
  .total[data-drawn]::after {
    content: attr(data-drawn);
    content: attr(data-drawn) / '';
  }
  @media print {
    .card {
      outline: 0;
      padding: 0;
    }
    .actions {
      display: none;
    }
    tbody {
      break-inside: avoid;
    }
  }
`;

export const createTakeaway: TakeawayModule['createTakeaway'] = (kit) => {
  const {html, nothing} = kit;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  kit.host.shadowRoot!.adoptedStyleSheets.push(sheet);
  let copying: 'copy' | 'copied' | 'notCopied' = 'copy';

  async function copy(amounts: Prequalification) {
    copying = await navigator.clipboard.writeText(asText(kit, amounts)).then(
      () => 'copied' as const,
      () => 'notCopied' as const,
    );
    kit.say(kit.words[copying]);
  }

  const button = (label: string, act: () => void) =>
    html`<button class="quiet" part="button" type="button" @click=${act}>${label}</button>`;

  return {
    arrive(dollars) {
      copying = 'copy';
      countUp(kit, dollars);
    },
    // On a page without TLS there is no clipboard.
    view: (amounts) => html`
      ${navigator.clipboard ? button(kit.words[copying], () => void copy(amounts)) : nothing}
      ${button(kit.words.print, () => print(kit))}
    `,
  };
};

/** A line for each amount, as one would write it to somebody. */
const asText = ({host, money, words}: Kit, amounts: Prequalification) =>
  [
    // A sample says so wherever it goes.
    ...Array.from(host.shadowRoot!.querySelectorAll('.sample'), ({textContent}) => textContent),
    `${words.bar}:`,
    ...amountParts.map((part) => `${words.names[part]}: ${money(amounts[part])}`),
    `${words.total}: ${money(amounts[totalAmount])}`,
    words.disclaimer,
  ].join('\n');

/**
 * Prints the result alone, which browsers can save as a PDF. It is copied into a document of its own, in a frame
 * within our shadow root: nothing of the page comes along, and nothing on it changes.
 */
function print({host, fill, safeDocument, words}: Kit) {
  const root = host.shadowRoot!;
  const frame = safeDocument.createElement('iframe');
  frame.className = 'unseen';
  frame.onload = () => {
    const paper = frame.contentWindow as Window & typeof globalThis;
    const {document} = paper;
    const copy = document.createElement('div');
    copy.setAttribute('theme', 'light');
    copy.lang = words.locale;
    copy.dir = getComputedStyle(host).direction;
    copy.style.fontFamily = getComputedStyle(host).fontFamily;
    // What the partner put into the slots goes into those of the copy.
    for (const child of host.children) if (child.slot) copy.append(document.importNode(child, true));
    const inside = copy.attachShadow({mode: 'open'});
    // A sheet belongs to the document that made it.
    inside.adoptedStyleSheets = root.adoptedStyleSheets.map(({cssRules}) => {
      const sheet = new paper.CSSStyleSheet();
      sheet.replaceSync(Array.from(cssRules, ({cssText}) => cssText).join(''));
      return sheet;
    });
    inside.append(document.importNode(root.querySelector('.card')!, true));
    const date = new Intl.DateTimeFormat(words.locale, {dateStyle: 'long'}).format();
    inside.querySelector('.estimate')?.append(' ', fill(words.madeOn, {date}));
    document.body.append(copy);
    paper.onafterprint = () => frame.remove();
    paper.focus();
    paper.print();
  };
  root.append(frame);
}
