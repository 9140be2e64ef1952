// Shows each choice without a reload, copies snippets, and fits the preview to the form. All of it can be done without
// this script, too: the form is an ordinary one, and the server makes the page.

const choices = document.getElementById('choices');
choices.querySelector('.show').hidden = true;

/** The address of the page for what is chosen now, without what was left empty. */
function addressOfChoices() {
  const chosen = [...new FormData(choices)].filter(([, value]) => value !== '');
  return `${location.pathname}?${new URLSearchParams(chosen)}`;
}

/** Only the newest request counts. */
let latest = new AbortController();

/** Fetches the page at the address, and takes over what differs. Fields keep what is typed, and the focus. */
async function show(address) {
  latest.abort();
  latest = new AbortController();
  const {signal} = latest;
  try {
    const response = await fetch(address, {signal});
    if (!response.headers.get('Content-Type')?.startsWith('text/html')) throw new Error('no page');
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (signal.aborted) return;
    takeOver(page);
    history.replaceState(null, '', address);
  } catch {
    // The browser says what is wrong: there is no connection, or the server refuses.
    if (!signal.aborted) location.assign(address);
  }
}

function takeOver(page) {
  for (const old of document.querySelectorAll('#snippet-content, #preview-notes, .fault, .help')) {
    const replacement = page.getElementById(old.id);
    if (replacement && replacement.outerHTML !== old.outerHTML) old.replaceWith(replacement);
  }
  for (const tab of document.querySelectorAll('.platforms a, .switch a')) {
    takeOverTab(tab, page.getElementById(tab.id));
  }
  takeOverContextFields(...[document, page].map((each) => each.getElementById('context-fields')));
  takeOverFrame(...[document, page].map((each) => each.querySelector('iframe')));
  for (const field of choices.elements) {
    const made = page.getElementById(field.id);
    if (!field.id || !made) continue;
    if (field instanceof HTMLSelectElement) takeOverOptions(field, made);
    takeOverAttribute('aria-invalid', field, made);
    if (made.hasAttribute('placeholder')) field.placeholder = made.placeholder;
  }
  enhance();
}

function takeOverAttribute(name, old, made) {
  if (made.hasAttribute(name)) old.setAttribute(name, made.getAttribute(name));
  else old.removeAttribute(name);
}

/** The tab stays: it has the focus, and one that is replaced while the mouse is down on it gets no click. */
function takeOverTab(old, made) {
  for (const name of ['href', 'aria-current']) takeOverAttribute(name, old, made);
}

/** A partner may take only one type of leads. */
function takeOverOptions(field, made) {
  if (field.innerHTML.replaceAll(' selected=""', '') === made.innerHTML.replaceAll(' selected=""', ''))
    return;
  const {value} = field;
  field.replaceChildren(...made.children);
  if ([...field.options].some((option) => option.value === value)) field.value = value;
}

/** The hidden fields are those of the partner. */
function takeOverContextFields(old, made) {
  const names = (group) => [...group.querySelectorAll('input')].map(({name}) => name);
  if (names(old).join() !== names(made).join()) old.replaceWith(made);
}

/** The frame loads again only if its address has changed. */
function takeOverFrame(old, made) {
  old.className = made.className;
  if (old.getAttribute('src') !== made.getAttribute('src')) old.setAttribute('src', made.getAttribute('src'));
}

/** What works only with this script. */
function enhance() {
  for (const button of document.querySelectorAll('.copy')) button.hidden = false;
  for (const picker of document.querySelectorAll('input[type=color]')) {
    const field = document.getElementById(picker.dataset.for);
    picker.hidden = false;
    const color = [field.value, field.placeholder].find((text) => /^#[\da-f]{6}$/i.test(text));
    if (document.activeElement !== picker) picker.value = color ?? '#808080';
  }
}

/** @param block the part of the page with a text to copy */
async function copy(block) {
  const code = block.querySelector('code');
  let done = 'Copied';
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    done = navigator.platform.startsWith('Mac') ? 'Press ⌘C' : 'Press Ctrl+C';
  }
  for (const button of document.querySelectorAll('.copy')) button.textContent = 'Copy';
  block.querySelector('.copy').textContent = done;
  // Screen readers say nothing of a button that has the focus and changes its words.
  document.getElementById('copied').textContent = done;
}

/** The frame becomes as high as the form in it. */
function fit(frame) {
  const {body} = frame.contentDocument ?? {};
  if (!body) return;
  new ResizeObserver(() => {
    frame.style.height = `${Math.max(480, Math.ceil(body.getBoundingClientRect().height) + 2)}px`;
  }).observe(body);
}

// A text counts once it is complete. A partner key that is half typed would be an unknown one.
choices.addEventListener('change', ({target}) => {
  // A look brings its own colours and fonts. What was chosen before would hide them.
  if (target.name === 'look') {
    for (const field of choices.querySelectorAll('[data-style]')) field.value = '';
    choices.elements.theme.value = '';
  }
  void show(addressOfChoices());
});

choices.addEventListener('input', ({target}) => {
  if (target.type !== 'color') return;
  document.getElementById(target.dataset.for).value = target.value;
  void show(addressOfChoices());
});

choices.addEventListener('submit', (event) => {
  event.preventDefault();
  void show(addressOfChoices());
});

document.addEventListener('click', (event) => {
  const button = event.target.closest('.copy');
  if (button) void copy(button.closest('.block'));
  const link = event.target.closest('[data-choice]');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  // The address of the link may be older than what the fields say.
  choices.elements[link.dataset.choice].value = link.dataset.value;
  void show(addressOfChoices());
});

const frame = document.querySelector('iframe');
frame.addEventListener('load', () => fit(frame));
if (frame.contentDocument?.readyState === 'complete') fit(frame);
enhance();
