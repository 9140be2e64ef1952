// Listens to the form's events like a partner's analytics would. The events bubble up to the document.
const names = [
  'prequal-ready',
  'prequal-start',
  'prequal-step',
  'prequal-invalid',
  'prequal-submit',
  'prequal-result',
  'prequal-error',
];

const log = document.getElementById('events');

/** @param {CustomEvent} event */
function show(event) {
  const time = document.createElement('time');
  time.textContent = new Date().toLocaleTimeString('en-US', {hourCycle: 'h23'});
  const name = document.createElement('strong');
  name.textContent = event.type;
  const detail = document.createElement('code');
  detail.textContent = event.detail == null ? '' : JSON.stringify(event.detail);

  const line = document.createElement('p');
  line.append(time, ' ', name, ' ', detail);
  log.append(line);
  // Scrolls to the newest event, or to its beginning if it is longer than the strip.
  log.scrollLeft = line.offsetLeft - Number.parseFloat(getComputedStyle(log).paddingInlineStart);
}

for (const name of names) document.addEventListener(name, show);
