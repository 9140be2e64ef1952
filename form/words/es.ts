/** The Spanish of the United States. It addresses the visitor as "usted". */
import type {AfterTouchWords, FirstScreenWords, SandboxWords} from './words.ts';

export const firstScreen: FirstScreenWords = {
  locale: 'es-US',
  labels: {
    first_name: 'Nombre',
    last_name: 'Apellidos',
    email: 'Correo electrónico',
    phone: 'Teléfono',
  },
  help: {
    phone: 'Con el código de país si no es un número de Estados Unidos.',
  },
  steps: {contact: 'Sobre usted'},
  step: 'Paso {step} de {of}',
  duration: 'cerca de un minuto',
  next: 'Siguiente',
  send: 'Enviar',
  sending: 'Enviando…',
  loading: 'Un momento…',
  tryAgain: 'Intentar de nuevo',
  online: 'Ya tiene conexión de nuevo.',
  use: 'Usamos sus respuestas para preparar su estimado y comunicarnos con usted al respecto.',
  useContact: 'Usamos sus datos para comunicarnos con usted.',
  privacy: 'Política de privacidad',
  loadFailed: {
    title: 'No pudimos cargar todo el formulario',
    text: 'Revise su conexión e inténtelo de nuevo.',
  },
  openForm: 'Abrir el formulario en una página aparte',
};

export const afterTouch: AfterTouchWords = {
  labels: {
    credit_score: 'Puntaje de crédito',
    bankruptcy: 'Bancarrota',
    retirement: 'Fondos de jubilación',
    cash: 'Efectivo',
    investments: 'Inversiones',
  },
  questions: {
    credit_score: '¿Cuál es su puntaje de crédito?',
    bankruptcy: '¿Se ha declarado alguna vez en bancarrota?',
  },
  help: {
    credit_score: 'Basta un cálculo aproximado. Esto no consulta ni afecta su crédito.',
    retirement: 'Cuentas 401(k), IRA y similares.',
    cash: 'Cuentas de cheques, ahorros y otro dinero que podría aportar.',
    investments: 'Acciones, bonos y fondos fuera de las cuentas de jubilación.',
  },
  errors: {
    required: {
      first_name: 'Escriba su nombre.',
      last_name: 'Escriba sus apellidos.',
      email: 'Escriba su correo electrónico.',
      phone: 'Escriba su número de teléfono.',
      credit_score: 'Elija su puntaje de crédito. Basta un cálculo aproximado.',
      money: '{label}: escriba un monto o elija Nada.',
      other: 'Falta este dato: {label}.',
    },
    negative: {other: '{label}: el monto debe ser $0 o más.'},
    range: {other: '{label}: escriba un solo monto, la cifra menor de la que está seguro, como 50,000.'},
    fraction: {other: '{label}: escriba el monto completo, como 50,000 o 1.5 millones.'},
    no_plus: {
      other: 'Agregue + si el número empieza con el código de país, como +52\u00a055\u00a01234\u00a05678.',
    },
    too_long: {other: '{label}: escriba {max} caracteres como máximo.'},
    too_large: {other: '{label}: el monto debe ser {max} o menos.'},
    invalid: {
      email: 'Escriba un correo electrónico como nombre@example.com.',
      phone:
        'Escriba un número de Estados Unidos como (415)\u00a0555\u20110132, o empiece con + y el código de país.',
      money: '{label}: escriba un solo monto en dólares estadounidenses, como 50,000.',
      other: '{label}: hay un carácter que no podemos aceptar.',
    },
    refused: {other: '{label}: no se aceptó. Por favor, revíselo.'},
  },
  scores: {
    'Above 720': 'Más de 720',
    '680 - 720': '680 a 720',
    '620 - 679': '620 a 679',
    'Below 620': 'Menos de 620',
  },
  ratings: {
    'Above 720': 'Excelente',
    '680 - 720': 'Bueno',
    '620 - 679': 'Regular',
    'Below 620': 'En desarrollo',
  },
  steps: {credit: 'Historial de crédito', funds: 'Sus fondos'},
  optional: 'opcional',
  yes: 'Sí',
  no: 'No',
  ratherNotSay: 'Prefiero no decirlo',
  none: 'Nada',
  noneFor: 'en {label}',
  noneChosen: '{label}: $0',
  didYouMean: '¿Quiso decir {email}?',
  thousands: '{label}: ¿{amount} o {thousands}?',
  back: 'Atrás',
  seeEstimate: 'Ver mi estimado',
  summary: 'Revise sus respuestas',
  stillSending: 'Esto tarda un poco más de lo normal. Por favor, no salga de esta página.',
  consentErrors: {
    required: 'Marque la casilla para indicar que está de acuerdo.',
    outdated: 'Lea las nuevas condiciones que están sobre el botón.',
  },
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
  methods: {
    whole_balance: 'Puede usarse todo el saldo.',
    down_payment: 'El {rest}% de un proyecto, con sus {funds} como pago inicial del {percent}%.',
    maximum: 'Es el máximo de este tipo de préstamo.',
    percentage: 'El {percent}% de sus {funds}.',
  },
  needs: {
    rollover_amount: 'fondos de jubilación',
    sba_qualified_amount: 'efectivo o fondos de jubilación transferidos',
    unsecured_amount: 'ingresos o crédito',
    portfolio_loan_qualified_amount: 'inversiones fuera de las cuentas de jubilación',
  },
  reasons: {
    below_minimum: 'Requiere al menos {minimum} en {needs}.',
    below_some_minimum: 'Requiere más {needs}.',
    from_score: 'A partir de un puntaje de crédito de {score}.',
    credit_score: 'Requiere un puntaje de crédito más alto.',
    bankruptcy: 'Pocos prestamistas lo ofrecen después de una bancarrota. Pregúntenos qué opciones tiene.',
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
    text: 'Estas respuestas no fueron aceptadas tal como están. Puede cambiarlas y enviarlas de nuevo. O llámenos o escríbanos y dé esta referencia: una persona puede ayudarle.',
  },
  refusedContact: {
    title: 'No pudimos aceptar sus datos',
    text: 'Puede cambiarlos y enviarlos de nuevo. O llámenos o escríbanos y dé esta referencia: una persona puede ayudarle.',
  },
  refusedFields:
    'No se aceptó: {fields}. Puede cambiar sus respuestas y enviar el formulario de nuevo. Si son correctas, llámenos o escríbanos y dé esta referencia: una persona puede ayudarle.',
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
  soon: 'en un momento',
  upTo: '{name}, usted podría calificar para hasta',
  nothing: '{name}, todavía no encontramos financiamiento para estas respuestas',
  nothingKnown:
    'Esto se basa solo en sus respuestas. Puede cambiarlas o preguntarnos: una persona puede encontrar otra opción.',
  bar: 'Su estimado por tipo de financiamiento',
  kind: 'Tipo de financiamiento',
  amount: 'Monto',
  total: 'Total',
  unlock: 'Para acceder a más opciones',
  rounded: 'Los montos están redondeados hacia abajo.',
  disclaimer: 'Esto es un estimado según sus propias respuestas, no una oferta ni un compromiso de préstamo.',
  whatNext: 'Próximos pasos',
  weContact: 'Nos comunicaremos con usted sobre este estimado al {phone}.',
  weContactAnyway: 'Nos comunicaremos con usted sobre sus respuestas al {phone}.',
  yourNumber: 'número que nos dio',
  reference: 'Su referencia: {reference}',
  change: 'Cambiar mis respuestas',
  answerAgain: 'Volver a escribir mis respuestas',
  notKept: 'Por su privacidad, esta página no guarda lo que escribió cuando se vuelve a cargar.',
  startOver: 'Empezar de nuevo',
  erase: 'Borrar este resultado',
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'No se pudo copiar',
  print: 'Imprimir o guardar como PDF',
  madeOn: 'Preparado el {date}.',
  close: 'Cerrar',
  opaqueFrame: {
    title: 'Continúe en otra pestaña',
    text: 'Esta página no permite que el formulario envíe sus respuestas.',
    address: 'Si no funciona, vaya a {address}.',
  },
};

export const sandbox: SandboxWords = {
  sample: 'Muestra.',
  explained: 'Nada de lo que escriba se envía ni se guarda, y los montos son inventados.',
  consent:
    'Aquí va el texto de consentimiento de su configuración: a qué da su acuerdo el visitante, y con quién.',
};
