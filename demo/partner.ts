/**
 * The sample of a consent text, for a text with a box. The guides show the same: docs/partners.md and docs/api.md. It says
 * what a consent to automated or recorded sales calls and texts must say in the United States (47 CFR 64.1200(f)(9)). It is
 * a sample: whoever takes it over has counsel read it.
 * @param terms the address of the seller's terms in each language
 */
export const sampleConsent = (seller: string, terms: {en: string; es: string}) => ({
  en:
    `Ticking the box and pressing {button} is my signature: I agree that ${seller} may call and text me with offers ` +
    'at the phone number that I gave in this form. It may use an automatic dialing system and a prerecorded or ' +
    'artificial voice. I do not have to agree in order to buy anything. Message and data rates may apply. ' +
    `More in the [terms](${terms.en}).`,
  es:
    `Marcar la casilla y pulsar {button} es mi firma: acepto que ${seller} me llame y me envíe mensajes de texto con ` +
    'ofertas al número de teléfono que di en este formulario. Puede usar un sistema de marcación automática y una voz ' +
    'pregrabada o artificial. No tengo que aceptarlo para poder comprar. Pueden aplicarse tarifas de mensajes y datos. ' +
    `Más en los [términos](${terms.es}).`,
});

const name = 'Your company';
const consent = sampleConsent(name, {en: 'https://example.com/terms', es: 'https://example.com/es/terms'});

/** The demo's partner, as it stands in a partners file. It uses what a form can show besides its fields. */
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
