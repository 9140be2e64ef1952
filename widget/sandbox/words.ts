/** The words of a sample. They are no part of the languages, so that no page can put others in their place. */
const en = {
  sample: 'Sample.',
  explained: 'Nothing you type is sent or kept, and the amounts are made up.',
  consent:
    'This is where the consent text of your configuration stands: what the visitor agrees to, and with whom.',
};

const es: typeof en = {
  sample: 'Muestra.',
  explained: 'Nada de lo que escriba se envía ni se guarda, y los montos son inventados.',
  consent:
    'Aquí va el texto de consentimiento de su configuración: a qué da su acuerdo el visitante, y con quién.',
};

export const wordsOf = (locale: string) => (locale.startsWith('es') ? es : en);
