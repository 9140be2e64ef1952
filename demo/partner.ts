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
