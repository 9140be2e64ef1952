/** The Spanish words that only the server says or sends. */
import type {ServerWords} from './en.ts';

export const serverWords: ServerWords = {
  about: {
    ready: 'Diga a {name} para quién es y véalo completo.',
    readyUnnamed: 'Díganos para quién es y véalo completo.',
    mailed: 'También se lo enviamos por correo electrónico.',
    only: 'Solo {name} recibe estos datos.',
    talk: '¿Prefiere hablar primero?',
  },
  page: {
    language: 'Español',
    locale: 'es_US',
    title: {
      prequalification: '¿Cuánto financiamiento puede obtener?',
      standard: 'Hable con nosotros sobre financiamiento',
    },
    intro: {
      prequalification:
        'Vea para cuánto financiamiento podría calificar según sus propias respuestas. Toma cerca de un minuto.',
      standard: 'Déjenos sus datos y nos comunicaremos con usted.',
    },
    picture: 'La pregunta de cuánto financiamiento puede obtener y el primer paso del formulario.',
    privacy: 'Política de privacidad',
    withoutForm: {
      instead: 'El formulario no se ha cargado. Puede {ways}.',
      below: 'Si el formulario no aparece, puede {ways}.',
      open: 'abrirlo en una página aparte',
      call: 'llamar al {phone}',
      write: 'escribir a {email}',
    },
    reach: 'También puede {ways} para comunicarse con {name}.',
    sendAgain: {
      title: 'Envíe sus respuestas una vez más',
      text: 'Todavía no se envió nada. Todo lo que escribió sigue aquí.',
    },
    notFound: {
      title: 'No hay ningún formulario en esta dirección',
      text: 'Revise la dirección. Si llegó aquí por un enlace o un código, avise a quien se lo dio que no funciona.',
    },
    tooMany: {
      title: 'Esta página no está disponible en este momento',
      text: 'Desde su red se abrieron demasiadas direcciones incorrectas. Inténtelo de nuevo más tarde.',
    },
  },
  revoke: {
    title: 'Detener llamadas y mensajes',
    about: 'Se trata de las respuestas que usted envió a {name} el {day}, con el código {reference}.',
    stop: 'Detener llamadas y mensajes',
    stopWords:
      'Se avisa a {name}, y a todos los que recibieron sus respuestas para {name}, que no deben llamarle ni escribirle más.',
    stopped:
      'Usted pidió el {day} que no le contacten más. En un minuto ya no se envía nada desde aquí, y se avisa a {name} y a todos los que recibieron sus respuestas.',
    numberUnknown:
      'Aquí ya no se conoce su número de teléfono. Si vuelve a enviar respuestas, pídalo otra vez.',
    erase: 'Pedir que se borren mis datos',
    eraseWords:
      'Una persona revisa la solicitud y borra lo que se guarda de usted, hasta donde la ley lo permite.',
    requested: 'Usted pidió el {day} que se borren sus datos. Una persona revisa la solicitud.',
    erased:
      'Sus datos se borraron el {day}. Lo que la ley manda guardar de su consentimiento se queda hasta que termine su plazo.',
    notFound: {
      title: 'Este enlace no funciona',
      text: 'Tal vez se cortó. También puede pedirlo de cualquier otra manera: dígaselo a quien le llame o le escriba.',
    },
  },
  confirmation: {
    subject: '{company} recibió sus respuestas ({reference})',
    hello: 'Hola:',
    helloName: 'Hola, {name}:',
    received: '{company} ha recibido lo que usted envió con su formulario.',
    estimate: 'Su estimado',
    reach: 'Cómo comunicarse con {company}',
    notYou:
      'Si usted no envió nada a {company}, es probable que alguien haya escrito mal una dirección de correo electrónico. No tiene que hacer nada.',
    automatic: 'Este correo se envió automáticamente.',
    stop: 'Para detener llamadas y mensajes, o para que se borren sus datos:',
    testSubject: 'Prueba: ',
    test: 'Esta es una prueba para los operadores del formulario, con una solicitud inventada. Los visitantes reciben lo que sigue.',
  },
  referenceBelow: 'el código de abajo',
};
