/**
 * The sample of a consent text, for a text with a box, as docs/partners.md and docs/api.md show it. It says what a consent to
 * automated or recorded sales calls and texts must say in the United States (47 CFR 64.1200(f)(9)). It is a sample: whoever
 * takes it over has counsel read it. The number is the visitor's own. A number of the seller would be taken for the one that
 * may be called, where a caller of the API sends this text.
 * @param terms the address of the seller's terms in each language
 */
export const sampleConsent = (seller: string, terms?: {en: string; es: string}) => ({
  en:
    `Ticking the box and pressing {button} is my signature: I agree that ${seller} may call and text me with offers ` +
    'at the phone number that I gave in this form. It may use an automatic dialing system and a prerecorded or ' +
    'artificial voice. I do not have to agree in order to buy anything. Message and data rates may apply.' +
    (terms ? ` More in the [terms](${terms.en}).` : ''),
  es:
    `Marcar la casilla y pulsar {button} es mi firma: acepto que ${seller} me llame y me envíe mensajes de texto con ` +
    'ofertas al número de teléfono que di en este formulario. Puede usar un sistema de marcación automática y una voz ' +
    'pregrabada o artificial. No tengo que aceptarlo para poder comprar. Pueden aplicarse tarifas de mensajes y datos.' +
    (terms ? ` Más en los [términos](${terms.es}).` : ''),
});
