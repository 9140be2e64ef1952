// Shows the form in four looks, and the snippet for the chosen look. Like any page, it uses only the form's tag,
// attributes and custom properties.
import {reservedHeights} from './reserved-heights.js';

/** For each look: the kind of page it is for, its theme, and its custom properties. */
const looks = {
  Bank: {
    page: '#eef2f6',
    theme: 'light',
    set: {accent: '#12406f', radius: '4px', font: "'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"},
  },
  Warm: {
    page: '#f3e3d0',
    theme: 'light',
    set: {
      accent: '#b4472a',
      background: '#fffaf3',
      text: '#3a2a20',
      radius: '20px',
      font: "ui-rounded, 'Avenir Next', Nunito, 'Trebuchet MS', sans-serif",
    },
  },
  Night: {
    page: '#080b12',
    theme: 'dark',
    set: {accent: '#7ce0c0', background: '#111726', radius: '14px', font: 'system-ui, sans-serif'},
  },
  Letter: {
    page: '#ffffff',
    theme: 'light',
    set: {
      accent: '#111111',
      text: '#111111',
      radius: '0px',
      space: '5px',
      font: "'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif",
    },
  },
};

/** Defaults, which the snippet leaves out. */
const defaults = {theme: 'auto', layout: 'steps', 'lead-type': 'prequalification', lang: 'en'};

const choices = document.getElementById('choices');
const form = document.querySelector('lead-prequal-form');
const stage = document.querySelector('.stage');
const snippet = document.getElementById('snippet');
const script = document.querySelector('script[integrity]');

/** The button of each look has the colours, font and corners of that look. */
for (const [name, {page, set}] of Object.entries(looks)) {
  const label = document.createElement('label');
  const input = Object.assign(document.createElement('input'), {type: 'radio', name: 'look', value: name});
  const sample = document.createElement('span');
  sample.style.cssText = `background: ${page}; border-radius: ${set.radius}; font-family: ${set.font}`;
  const swatch = document.createElement('i');
  swatch.style.cssText = `background: ${set.accent}; border-radius: ${set.radius}`;
  sample.append(swatch);
  label.append(input, sample, name);
  choices.querySelector('.looks').append(label);
}

function show() {
  const chosen = Object.fromEntries(new FormData(choices));
  const {page, set} = looks[chosen.look];
  const properties = {...set, accent: chosen.accent};
  const firstScreen = chosen['lead-type'] === 'standard' ? 'standard' : chosen.layout;
  const height = reservedHeights[firstScreen];

  stage.style.background = page;
  form.removeAttribute('style');
  form.style.minHeight = height;
  for (const [name, value] of Object.entries(properties)) form.style.setProperty(`--prequal-${name}`, value);

  const attributes = [];
  for (const [name, fallback] of Object.entries(defaults)) {
    form.setAttribute(name, chosen[name]);
    if (chosen[name] !== fallback) attributes.push(` ${name}="${chosen[name]}"`);
  }
  const rules = Object.entries(properties).map(([name, value]) => `    --prequal-${name}: ${value};`);
  snippet.textContent = `${script.outerHTML.replace('=""', '')}
<style>
  lead-prequal-form {
    display: block;
    min-height: ${height};
${rules.join('\n')}
  }
</style>
<lead-prequal-form partner="${form.getAttribute('partner')}"${attributes.join('')}>
  <noscript>Please <a href="/contact">write to us</a>: this form needs JavaScript.</noscript>
</lead-prequal-form>`;
}

function choose(name) {
  choices.elements.look.value = name;
  choices.elements.accent.value = looks[name].set.accent;
  choices.elements.theme.value = looks[name].theme;
}

choices.addEventListener('input', ({target}) => {
  if (target.name === 'look') choose(target.value);
  show();
});

document.getElementById('copy').addEventListener('click', async () => {
  const status = document.getElementById('copy-status');
  try {
    await navigator.clipboard.writeText(snippet.textContent);
    status.textContent = 'Copied.';
  } catch {
    getSelection().selectAllChildren(snippet);
    status.textContent = 'Selected: press Ctrl+C, or ⌘C.';
  }
});

choose('Bank');
show();
