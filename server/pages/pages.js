/** What HTML cannot do: passkeys, `/` to search, fresh figures while the page is open. All but passkeys works without it. */

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0)).buffer;
const toText = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(
    /[+/=]/g,
    (sign) => ({'+': '-', '/': '_'})[sign] ?? '',
  );

// Password managers put passkeys of their own in place of the browser's, often as objects on which the browser's toJSON and
// getters throw. All of them have the bytes, so these are read one by one, and the question is written in bytes, too.
const withBytes = (entry) => ({...entry, id: toBytes(entry.id)});
const inBytes = ({challenge, user, excludeCredentials, ...others}) => ({
  ...others,
  challenge: toBytes(challenge),
  ...(user && {user: withBytes(user), excludeCredentials: excludeCredentials.map(withBytes)}),
});
const answers = {
  create: ['clientDataJSON', 'attestationObject'],
  get: ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'],
};
async function askForPasskey({passkey: kind, options}) {
  const {rawId, response} = await navigator.credentials[kind]({publicKey: inBytes(JSON.parse(options))});
  const id = toText(rawId);
  const parts = Object.fromEntries(answers[kind].map((part) => [part, toText(response[part])]));
  return JSON.stringify({id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: parts});
}

for (const passkey of document.querySelectorAll('form[data-passkey]')) {
  const {credential, zone} = passkey.elements;
  const say = (text) => passkey.querySelector('[role=alert]').replaceChildren(text);
  const button = passkey.querySelector('button');
  button.hidden = !navigator.credentials?.create;
  if (button.hidden) say('This browser has no passkeys. Use a current one, over https.');
  passkey.addEventListener('submit', async (event) => {
    if (credential.value) return;
    event.preventDefault();
    try {
      credential.value = await askForPasskey(passkey.dataset);
      if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
      passkey.requestSubmit();
    } catch ({name, message}) {
      const words = {
        NotAllowedError: 'That did not work, or was cancelled. Try again.',
        InvalidStateError:
          'This device has a passkey for you already. Use another device, or sign in with it.',
      };
      say(words[name] ?? message);
    }
  });
}

// The secret of an invitation stands in the fragment, which no server and no log sees.
const invitation = document.querySelector('form[data-invite]');
if (invitation && location.hash.length > 1) {
  invitation.elements.secret.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  invitation.requestSubmit();
}

// What was just done is said once, and not again when the page asks for itself.
const address = new URL(location.href);
if (address.searchParams.has('said')) {
  address.searchParams.delete('said');
  history.replaceState(null, '', address);
}

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select')) return;
  const field = document.querySelector('input[name=q]');
  if (field) event.preventDefault();
  field?.focus();
});

// A note that was typed goes with each button after a call. Without this script, it goes with outcomes and Undo alone.
addEventListener('formdata', ({target, formData}) => {
  const note = target.closest('#after') && document.querySelector('textarea[name=text]');
  if (note && !formData.has('text')) formData.set('text', note.value);
});

addEventListener('input', ({target}) => {
  if (target.name === 'text')
    document.querySelector('#count').textContent = `${target.value.length} of ${target.maxLength}`;
});

// A choice in a filter counts at once. Its button is for those without this script.
addEventListener('change', ({target}) => {
  if (target.matches('select[data-now]')) target.form.requestSubmit();
});

// Pages with figures ask for themselves again while somebody looks at them and touches nothing.
const every = Number(document.querySelector('main')?.dataset.every);
const asHtml = globalThis.trustedTypes?.createPolicy('pages', {createHTML: (text) => text});
let touchedAt = 0;
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => (touchedAt = Date.now()));

async function refresh() {
  const isBusy =
    document.querySelector('.choice:checked') ||
    document.hidden ||
    Date.now() - touchedAt < 5_000 ||
    String(getSelection());
  if (isBusy || document.activeElement?.closest('main')) return;
  const response = await fetch(location.href).catch(() => undefined);
  if (response?.redirected) return location.reload();
  document.querySelector('#away').hidden = Boolean(response?.ok);
  if (!response?.ok) return;
  const text = await response.text();
  const fresh = new DOMParser().parseFromString(asHtml?.createHTML(text) ?? text, 'text/html');
  document.querySelector('main').replaceWith(fresh.querySelector('main'));
}
if (every) setInterval(refresh, every * 1_000);

// A browser may keep a page for the button Back although nothing may be stored, also for somebody who was shut out since.
addEventListener('pageshow', ({persisted}) => persisted && location.reload());
