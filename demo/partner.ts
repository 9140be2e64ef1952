import {sampleConsent} from '../server/config/sample-consent.ts';

const name = 'Your company';
const consent = sampleConsent(name, {en: 'https://example.com/terms', es: 'https://example.com/es/terms'});

/** The demo's partner, as it stands in `lead-prequal.json`. It uses what a form can show besides its fields. */
export const partner = {
  key: 'demo',
  name,
  cid: '1001',
  privacy_href: 'https://example.com/privacy',
  contact: {email: 'hello@example.com'},
  show_estimate: 'before-contact',
  ask: [
    {
      name: 'revenue',
      label: {en: 'Monthly revenue', es: 'Ingresos al mes'},
      choices: [
        {value: 'under-10k', en: 'Under $10,000', es: 'Menos de $10,000'},
        {value: '10k-50k', en: '$10,000 to $50,000', es: 'De $10,000 a $50,000'},
        {value: 'over-50k', en: 'Over $50,000', es: 'Más de $50,000'},
      ],
      step: 'funds' as const,
    },
  ],
  consent: {
    required: true,
    texts: {
      en: {text: consent.en, version: '2'},
      es: {text: consent.es, version: '2'},
    },
  },
  next_step: {
    en: '{first_name}, an adviser calls you at {phone} within one business day.',
    es: '{first_name}, un asesor le llamará al {phone} en el plazo de un día hábil.',
  },
  cta: {
    en: {label: 'Book a call', href: 'https://example.com/call'},
    es: {label: 'Reservar una llamada', href: 'https://example.com/es/call'},
  },
};
