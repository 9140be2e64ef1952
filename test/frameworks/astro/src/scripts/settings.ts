import type {LeadPrequalForm} from 'lead-prequal';

/** Changes the attributes of the form on the page `settings`, and lists its events. */
const find = <Found extends HTMLElement>(selector: string) => document.querySelector<Found>(selector)!;

const events = ['ready', 'start', 'step', 'invalid', 'submit', 'result', 'error'] as const;
for (const name of events) {
  document.addEventListener(`prequal-${name}`, ({type, target, detail}: CustomEvent<unknown>) => {
    if (!(target as Element).closest('#place')) return;
    const item = document.createElement('li');
    item.textContent = `${type} ${JSON.stringify(detail)}`;
    find('#events').append(item);
  });
}

document.addEventListener('astro:page-load', () => {
  const place = document.querySelector('#place');
  if (!place) return;
  let form = place.querySelector('lead-prequal-form')!;
  const onClick = (selector: string, work: () => void) => find(selector).addEventListener('click', work);
  const onInput = (selector: string, work: (text: string) => void) =>
    find<HTMLInputElement>(selector).addEventListener('input', ({currentTarget}) =>
      work((currentTarget as HTMLInputElement).value),
    );
  onInput('#partner', (text) => form.setAttribute('partner', text));
  onClick('#dark', () => form.setAttribute('theme', 'dark'));
  onClick('#single', () => form.setAttribute('layout', 'single'));
  onClick('#standard', () => form.setAttribute('lead-type', 'standard'));
  onClick('#nothing', () => {
    for (const name of ['theme', 'layout', 'lead-type']) form.removeAttribute(name);
  });
  onClick('#draft', () => form.toggleAttribute('draft'));
  onClick('#visitor', () => (form.prefill = {first_name: 'Ana', email: 'ana@example.com'}));
  onClick('#shown', () => {
    if (form.isConnected) return form.remove();
    form = form.cloneNode(true) as LeadPrequalForm;
    place.append(form);
  });
  onInput('#note', (text) => (form.querySelector('.note')!.textContent = text));
});
