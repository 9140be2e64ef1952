import {LeadPrequalForm} from 'lead-prequal';

document.addEventListener('prequal-step', ({detail}) => `${detail.name}: ${detail.step / detail.of}`);
document.addEventListener('prequal-invalid', ({detail}) => `${detail.field}: ${detail.code}`);
document.addEventListener('prequal-submit', (event) => event.preventDefault());
document.addEventListener('prequal-error', ({detail}) =>
  detail.code.concat(detail.retryable ? ' again' : ''),
);

const form = document.createElement('lead-prequal-form');
form.endpoint = 'https://leads.example.com';
form.partner = 'acme';
document.body.append(form);
console.log(form instanceof LeadPrequalForm);

// @ts-expect-error there is no such layout
form.layout = 'pages';
