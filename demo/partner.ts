/** The demo's partner, as it stands in a partners file. It uses what a form can show besides its fields. */
export const partner = {
  key: 'demo',
  name: 'Your company',
  cid: '1001',
  privacy_href: 'https://example.com/privacy',
  contact: {email: 'hello@example.com'},
  show_estimate: 'before-contact',
  consent: {
    required: true,
    texts: {
      en: {
        text: 'With {button}, I agree to be contacted about my estimate, and to the [terms](https://example.com/terms).',
        version: '1',
      },
      es: {
        text: 'Con {button}, acepto que me contacten sobre mi estimado, y los [términos](https://example.com/es/terms).',
        version: '1',
      },
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
