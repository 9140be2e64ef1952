/** The words of the confirmation that the form does not have, by language. `{company}` is who sends it. */
import {afterTouch as english} from '../../../form/words/en.ts';
import {afterTouch as spanish} from '../../../form/words/es.ts';

const en = {
  subject: 'We received your answers ({reference})',
  hello: 'Hello,',
  helloName: 'Hello {name},',
  received: '{company} has received what you sent with its form.',
  estimate: 'Your estimate',
  notYou:
    'If you did not send anything to {company}, somebody has probably mistyped an e-mail address. You do not have to do anything.',
  automatic: 'This e-mail was sent automatically.',
  testSubject: 'Test: ',
  test: 'This is a test for the operators of the form, with a made-up lead. Visitors get what is below.',
};

const es: typeof en = {
  subject: 'Recibimos sus respuestas ({reference})',
  hello: 'Hola:',
  helloName: 'Hola, {name}:',
  received: '{company} ha recibido lo que usted envió con su formulario.',
  estimate: 'Su estimado',
  notYou:
    'Si usted no envió nada a {company}, es probable que alguien haya escrito mal una dirección de correo electrónico. No tiene que hacer nada.',
  automatic: 'Este correo se envió automáticamente.',
  testSubject: 'Prueba: ',
  test: 'Esta es una prueba para los operadores del formulario, con una solicitud inventada. Los visitantes reciben lo que sigue.',
};

const inEnglish = {...english, ...en, tag: 'en'};
const byLanguage: Readonly<Record<string, typeof inEnglish>> = {es: {...spanish, ...es, tag: 'es'}};

/** @param language of the form, such as `es-US`. Pages may have others than ours; these get English */
export const wordsFor = (language: string): typeof inEnglish =>
  byLanguage[language.split('-')[0] ?? ''] ?? inEnglish;
