/** From sending to the result in the Spanish of the United States; it says "usted". */
import type {AnswerWords} from './words.ts';

export const words: AnswerWords = {
  names: {
    rollover_amount: 'Fondos de jubilación',
    sba_qualified_amount: 'Préstamo de la SBA',
    unsecured_amount: 'Financiamiento sin garantía',
    portfolio_loan_qualified_amount: 'Préstamo sobre inversiones',
  },
  about: {
    rollover_amount: 'Sus propios fondos de jubilación, invertidos en su negocio sin tomar un préstamo.',
    sba_qualified_amount:
      'Un préstamo bancario respaldado por la Agencia Federal de Pequeños Negocios (SBA), según su propio capital.',
    unsecured_amount: 'Préstamos y líneas de crédito según su crédito, sin dar nada en garantía.',
    portfolio_loan_qualified_amount: 'Un préstamo garantizado con sus inversiones, que siguen invertidas.',
  },
  needs: {
    rollover_amount: 'fondos de jubilación',
    sba_qualified_amount: 'efectivo o fondos de jubilación',
    unsecured_amount: 'ingresos o crédito',
    portfolio_loan_qualified_amount: 'inversiones fuera de las cuentas de jubilación',
  },
  reasons: {
    below_minimum: 'Requiere al menos {minimum} en {needs}.',
    below_minimum_loan: 'Empieza en {minimum}: le harían falta más {needs}.',
    below_some_minimum: 'Requiere más {needs}.',
    credit_score: 'Requiere un puntaje de crédito más alto.',
    bankruptcy: 'No está disponible después de una bancarrota.',
    nothing_to_borrow_against: 'Requiere {needs}.',
    assumes_no_bankruptcy: 'Supone que no ha habido bancarrota.',
    unknown: 'No forma parte de este estimado.',
  },
  named: '{title}, {name}',
  thanks: {
    title: 'Gracias',
    text: 'Tenemos sus datos y pronto nos comunicaremos con usted.',
  },
  pending: {
    title: 'Tenemos sus respuestas',
    text: 'Calcular sus montos está tardando un poco más de lo normal. Aparecerán aquí. Si sale de esta página, no se pierde nada: nos comunicaremos con usted y no hace falta que envíe nada otra vez.',
  },
  late: {
    title: 'Tenemos sus respuestas',
    text: 'Sus montos tardan más de lo que queremos hacerle esperar. Nos comunicaremos con usted y no hace falta que envíe nada otra vez.',
  },
  refused: {
    title: 'No pudimos preparar un estimado',
    text: 'Estas respuestas no fueron aceptadas. Revíselas y cambie lo que no sea correcto.',
  },
  failures: {
    network: {
      title: 'No pudimos enviar sus respuestas',
      text: 'Revise su conexión e inténtelo de nuevo. Todo lo que escribió sigue aquí.',
    },
    timeout: {
      title: 'No pudimos enviar sus respuestas',
      text: 'No hubo respuesta a tiempo. Inténtelo de nuevo. Todo lo que escribió sigue aquí.',
    },
    'idempotency-key-in-progress': {
      title: 'Todavía estamos trabajando en ello',
      text: 'Inténtelo de nuevo en un momento. Todo lo que escribió sigue aquí.',
    },
    'too-many-requests': {
      title: 'Demasiados intentos',
      text: 'Inténtelo de nuevo {wait}. Todo lo que escribió sigue aquí.',
    },
    forbidden: {
      title: 'Este formulario no está disponible en este momento',
      text: 'Sus respuestas no se enviaron. Comuníquese con nosotros por otro medio.',
    },
    other: {
      title: 'Algo falló de nuestro lado',
      text: 'Inténtelo de nuevo en un momento. Todo lo que escribió sigue aquí.',
    },
  },
  errors: {
    required: {consent: 'Marque la casilla para indicar que está de acuerdo.'},
    invalid: {consent: 'Lea las nuevas condiciones que están sobre el botón.'},
  },
  soon: 'en un momento',
  didYouMean: '¿Quiso decir {email}?',
  upTo: '{name}, usted podría calificar para hasta',
  nothing: '{name}, todavía no encontramos financiamiento para estas respuestas',
  bar: 'Su estimado por tipo de financiamiento',
  kind: 'Tipo de financiamiento',
  amount: 'Monto',
  total: 'Total',
  disclaimer: 'Esto es un estimado según sus propias respuestas, no una oferta ni un compromiso de préstamo.',
  change: 'Cambiar mis respuestas',
  answerAgain: 'Volver a escribir mis respuestas',
  notKept: 'Por su privacidad, esta página no guarda lo que escribió cuando se vuelve a cargar.',
  startOver: 'Empezar de nuevo',
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'No se pudo copiar',
  print: 'Imprimir o guardar como PDF',
  madeOn: 'Preparado el {date}.',
};
