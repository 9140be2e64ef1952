/**
 * Stands in place of the form in an opaque frame, from which the server takes no lead. It leads to the partner's apply
 * page on the server, in a new tab, where the visitor types everything.
 */
import {html} from 'lit';
import {css} from '../styles/css.ts';
import {fill} from '../../form/words/fill.ts';
import {applyView} from '../fields/contact-view.ts';
import type {FormHost} from '../fields/form-host.ts';
import {explainRefusal} from '../page/advice.ts';
import {applyPage} from '../page/apply-page.ts';
import {adopt} from '../styles/adopt.ts';

const styles = css`
  .elsewhere > * {
    margin-block-end: 16px;
  }
`;

export class OpaqueFrame {
  readonly #host: FormHost;

  constructor(host: FormHost) {
    this.#host = host;
    adopt(host, [styles]);
    void explainRefusal('network', host.endpoint());
  }

  view() {
    const {words} = this.#host;
    const {title, text, address} = words.opaqueFrame;
    const endpoint = this.#host.endpoint();
    return html`
      <div class="elsewhere">
        <h2 part="heading" tabindex="-1">${title}</h2>
        <p>${text}</p>
        ${applyView(words, endpoint)}
        <p class="help">${fill(address, {address: applyPage(endpoint)})}</p>
      </div>
    `;
  }
}
