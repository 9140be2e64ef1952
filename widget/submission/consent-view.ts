/** What stands above the last button: the partner's text, its box where one is asked for, and a trap. */
import type {ConsentText} from '../../contract/embed.ts';
import type {Asking, Kit} from './types.ts';

export function consentView(
  kit: Kit,
  consent: ConsentText | null | undefined,
  asking: Asking,
  privacy: unknown,
) {
  const {html, nothing} = kit;
  return html`
    <div class="unseen" aria-hidden="true">
      <input name="website" tabindex="-1" autocomplete="off" />
    </div>
    ${consent ? textView(kit, consent, asking, privacy) : nothing}
  `;
}

function textView(
  {html, nothing}: Kit,
  {text, version, required}: ConsentText,
  {interview: {values, errors}, held}: Asking,
  privacy: unknown,
) {
  const describedBy = errors.consent ? 'consent-error' : nothing;
  return html`
    <div class="consent ${held ? 'held' : ''}" part="consent" data-field="consent" dir="auto">
      ${
        required
          ? html`<input
                type="checkbox"
                id="consent"
                name="consent"
                value=${version}
                required
                aria-invalid=${errors.consent ? 'true' : 'false'}
                aria-describedby=${describedBy}
                .checked=${values.consent === version}
              />
              <label for="consent">${text}</label>`
          : html`<fieldset name="consent" tabindex=${held ? 0 : -1} aria-describedby=${describedBy}>
              <input type="hidden" name="consent" value=${version} />
              <p>${text}</p>
            </fieldset>`
      }
      ${privacy}
    </div>
  `;
}
