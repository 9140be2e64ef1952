/**
 * What alarms mean: from the message of an error to its cause to its remedy. Destinations make their messages of this
 * table, and the log, `destinations list` and `status` find the remedy of a message in it. `npm run docs` writes the
 * table of docs/causes.md from it.
 */

/**
 * In a message, `{who}` is who cannot be reached, such as `the receiver crm.example`, and `xx` are two digits. The
 * messages of `storeCauses` are words of the databases.
 */
export type Cause = {message: string; cause: string; remedy: string};

const row = (message: string, cause: string, remedy: string): Cause => ({message, cause, remedy});

const unknown = 'The address of {who} could not be found';
const silent = 'No connection to {who} came about in time';
const cut = '{who} cut the connection before it had answered';
const certificate = 'The certificate of {who} is not accepted';
const unreadable = 'The answer of {who} cannot be read';

const stranger = 'it was signed by an authority that is not known here';
const firewall = 'Ask whoever runs it whether it works, and whether a firewall lets your server in.';
const askForLog = 'Ask whoever runs it what its log says. What waits is sent once it works again.';
const renew = 'Ask whoever runs it to renew the certificate.';
const trust =
  'Ask for a certificate of a public authority. If the authority is your own, name its certificate in NODE_EXTRA_CA_CERTS and restart the server.';

/** By the code of a network error. */
export const networkCauses: Readonly<Record<string, Cause>> = {
  ENOTFOUND: row(unknown, 'the DNS knows no such name', 'Correct the host, or its entry in the DNS.'),
  EAI_AGAIN: row(
    unknown,
    'no DNS server answered',
    'Check the DNS servers of this machine (/etc/resolv.conf).',
  ),
  LOOKUP_TOO_SLOW: row(
    `${unknown} in time`,
    'its DNS servers are slow',
    'Check the DNS servers of this machine, and those of the domain.',
  ),
  ECONNREFUSED: row(
    '{who} refused the connection',
    'nothing listens at its address and port',
    'Start what should listen there, or correct host and port.',
  ),
  EHOSTUNREACH: row('{who} cannot be reached', 'there is no route to its address', firewall),
  ENETUNREACH: row(
    '{who} cannot be reached',
    'there is no route to its network',
    'Check the network of this machine, above all IPv6 if the host has no other address.',
  ),
  UND_ERR_CONNECT_TIMEOUT: row(silent, 'it, or a firewall, does not react', firewall),
  ETIMEDOUT: row(silent, 'it, or a firewall, does not react', firewall),
  ECONNRESET: row(cut, 'it failed, or a proxy before it', askForLog),
  EPIPE: row(cut, 'it failed, or a proxy before it', askForLog),
  UND_ERR_SOCKET: row(cut, 'it failed, or a proxy before it', askForLog),
  UND_ERR_HEADERS_OVERFLOW: row(
    unreadable,
    'its headers are too large',
    'Check that the URL is the right one.',
  ),
  HTTPParserError: row(unreadable, 'it is not valid HTTP', 'Check that the port is the right one.'),
  EPROTO: row(
    'The TLS handshake with {who} failed',
    'perhaps its port does not speak TLS',
    'Correct the port, or the scheme of the URL.',
  ),
  ADDRESS_REFUSED: row(
    'The address of {who} is refused',
    'the host is or resolves to an address that is not public, and the destination is not marked as internal',
    'Write "internal": true into the destination if the host is in your network. Else correct the URL.',
  ),
  CERT_HAS_EXPIRED: row(certificate, 'it has expired', renew),
  CERT_NOT_YET_VALID: row(certificate, 'it is not valid yet', 'Check the clocks of both machines.'),
  CERT_REVOKED: row(certificate, 'it was revoked', renew),
  ERR_TLS_CERT_ALTNAME_INVALID: row(
    certificate,
    'it is for another host',
    'Use the host that the certificate names, or ask for a certificate of this host.',
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: row(certificate, 'it is self-signed', trust),
  SELF_SIGNED_CERT_IN_CHAIN: row(certificate, stranger, trust),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: row(certificate, stranger, trust),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: row(
    certificate,
    'it comes without those between it and its authority, or the authority is not known here',
    'Ask for the whole chain (fullchain.pem), or name the authority in NODE_EXTRA_CA_CERTS and restart the server.',
  ),
};

const noUrl = 'Correct the URL of the destination.';
const secret = 'Give the receiver the secret that CREDENTIALS_…_SECRET has, or correct the URL.';
const credentials = 'Correct CREDENTIALS_…_USER and CREDENTIALS_…_PASSWORD.';
const pace = 'Lower per_second of the destination.';

/** Answers of webhooks and upstreams. The first row that fits counts. */
const statusCauses: readonly Cause[] = [
  row(
    'The receiver gave no answer',
    'it takes longer than an attempt may last',
    'Ask its author to let it answer first, and do its work afterwards.',
  ),
  row('The receiver answered 3xx', 'redirects are not followed, so the URL must be the final one', noUrl),
  row('The receiver answered 401', 'it does not accept the signature, or the URL lacks a token', secret),
  row('The receiver answered 403', 'it does not accept the signature, or the URL lacks a token', secret),
  row('The receiver answered 404', 'the URL is not that of a webhook', noUrl),
  row('The receiver answered 405', 'the URL is not that of a webhook', noUrl),
  row('The receiver answered 408', 'it did not get the event in time', askForLog),
  row(
    'The receiver answered 410',
    'it wants no more events',
    'Ask the receiver why. "lead-prequal destinations resume" goes on.',
  ),
  row('The receiver answered 429', 'it asks for fewer events at once', pace),
  row(
    'The receiver answered 4xx',
    'it does not accept this event',
    '"lead-prequal deliveries show" has the beginning of its answer. Once it accepts such events: "lead-prequal deliveries retry".',
  ),
  row('The receiver answered 503', 'it is not available now', askForLog),
  row('The receiver answered 5xx', 'it failed itself', askForLog),
  row('The upstream answered POST with 401', 'it refuses the user or the password', credentials),
  row('The upstream answered GET with 401', 'it refuses the user or the password', credentials),
  row(
    'The upstream answered POST with 403',
    'it refuses the cid, or the user',
    'Correct the cid of the destination.',
  ),
  row('The upstream answered POST with 3xx', 'redirects are not followed', noUrl),
  row('The upstream answered POST with 404', 'the URL is not that of a lead API', noUrl),
  row('The upstream answered POST with 429', 'it asks for fewer leads at once', pace),
  row('The upstream answered POST with 5xx', 'it failed itself', askForLog),
  row('The upstream answered GET with 5xx', 'it failed itself', askForLog),
  row(
    'The upstream refused the lead',
    'it will never take it',
    '"lead-prequal deliveries show" says what it named. Call the visitor, or correct the cause and "lead-prequal deliveries retry".',
  ),
  row('The upstream gave no reply that could be read', 'the reply was lost', askForLog),
];

const copyUrl =
  'Copy the URL of its webhook again, whole and with each & as it is, into CREDENTIALS_…_URL, and restart the server.';
const newWebhook =
  'Make a new webhook in the room, put its URL into CREDENTIALS_…_URL, and restart the server.';

/** Answers of Slack, Microsoft Teams and Google Chat. The first row that fits counts. */
const chatCauses: readonly Cause[] = [
  row(
    'The chat room gave no answer',
    'its service is slow or away',
    'Wait. What waits is sent once it answers.',
  ),
  row('The chat room answered 3xx', 'the URL is not that of an incoming webhook', copyUrl),
  row(
    'The chat room answered 400',
    '"format" is that of another service, or the URL is not complete',
    `Correct "format" of the destination. ${copyUrl}`,
  ),
  row('The chat room answered 401', 'the URL is not complete, or is no longer valid', copyUrl),
  row(
    'The chat room answered 403',
    'the URL is not complete or no longer valid, or the service forbids posts of webhooks there',
    `${copyUrl} Else ask those who run the service.`,
  ),
  row('The chat room answered 404', 'the URL is wrong, or the webhook or its room was removed', newWebhook),
  row('The chat room answered 405', 'the URL is not that of an incoming webhook', copyUrl),
  row(
    'The chat room answered 410',
    'the room is archived, or its webhook was removed',
    `${newWebhook} "lead-prequal destinations resume" goes on.`,
  ),
  row('The chat room answered 413', 'the message is too long for it', 'Choose "details": "none".'),
  row('The chat room answered 429', 'it asks for fewer messages at once', pace),
  row(
    'The chat room answered 4xx',
    'it does not accept this message',
    '"lead-prequal deliveries show" has the beginning of its answer. Once it accepts such messages: "lead-prequal deliveries retry".',
  ),
  row('The chat room answered 5xx', 'its service failed', 'Wait. What waits is sent once it works again.'),
];

/** Why a mail server took no e-mail. Its replies have the statuses of RFC 5321. */
export const mailCauses = {
  tooSlow: row('The mail server took too long to reply', 'it is busy, or delays strangers', firewall),
  noTls: row(
    'The mail server offers no STARTTLS',
    'nothing is sent to a public mail server without encryption',
    'Use smtps:// with port 465 in SMTP_URL, or another mail server.',
  ),
  wantsPassword: row(
    'The mail server asks for a user and a password in SMTP_URL',
    'it takes e-mails from its own users alone',
    'Add them: smtp://user:password@host:587.',
  ),
  wrongPassword: row(
    'The mail server refused the user or the password of SMTP_URL',
    'one is wrong, or the account needs a password for applications',
    'Correct them, with signs such as @ or / of the password encoded.',
  ),
  wrongSender: row(
    'The mail server refused the sender, mail_from',
    'the account may not send as this address',
    'Set mail_from to an address of the account.',
  ),
  noRecipient: row(
    'The mail server refused all recipients',
    'the addresses do not exist, or it relays to none outside',
    'Correct "to" of the destination.',
  ),
  refused: row(
    'The mail server refused the e-mail',
    'it takes it for spam, or for too large',
    'Ask whoever runs it. "lead-prequal deliveries show" has its words.',
  ),
} as const;

const damage = 'pages of the file are not what SQLite wrote';
const restore = 'Stop the server, copy the files, restore a backup.';
const unknownAuthority = 'the certificate of PostgreSQL is signed by an authority that is not known here';
const ownAuthority =
  'Save the certificate of this authority, which the platform offers, and name it in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/ca.pem.';

/** Words of SQLite, PostgreSQL and Linux in the reason why the store does not work. */
const storeCauses: readonly Cause[] = [
  row('database or disk is full', 'the disk has no room', 'Free some space. The server goes on by itself.'),
  row('ENOSPC', 'the disk has no room', 'Free some space. The server goes on by itself.'),
  row('53100', 'the disk of PostgreSQL has no room', 'Free some space there.'),
  row(
    'database is locked',
    'another program writes the file',
    'End that program: fuser leads.sqlite names it.',
  ),
  row(
    'readonly database',
    'the file, or its disk, cannot be written to any more',
    'Look at "dmesg" and "mount" whether Linux made the disk read-only, and at the owner of the file.',
  ),
  row('25006', 'PostgreSQL is read-only, for example a standby', 'Point DATABASE_URL to the primary.'),
  row('disk I/O error', 'the disk fails', 'Look at "dmesg". Move the database to another disk.'),
  row('is damaged', damage, restore),
  row('malformed', damage, restore),
  row(
    'was moved, deleted or replaced',
    'the server writes to a file that is not there any more',
    'Put the file back, or restart the server to begin with the new one.',
  ),
  row(
    'has not come back',
    'the disk hangs, or another transaction holds the tables',
    'Look for a backup, a full RAID cache, or a lock (pg_stat_activity).',
  ),
  row(
    'self-signed certificate',
    'the certificate of PostgreSQL is signed by an authority of its own',
    ownAuthority,
  ),
  row('unable to get local issuer certificate', unknownAuthority, ownAuthority),
  row('unable to verify the first certificate', unknownAuthority, ownAuthority),
  row(
    "does not match certificate's altnames",
    'the certificate of PostgreSQL is for another host',
    'Name the host in DATABASE_URL that the certificate names, or check the authority alone, with uselibpqcompat=true&sslmode=verify-ca and sslrootcert.',
  ),
  row(
    'does not support SSL connections',
    'PostgreSQL has no TLS',
    'Switch it on there (ssl = on). Where nobody else can read the network, take sslmode out of DATABASE_URL.',
  ),
  row(
    'no encryption',
    'PostgreSQL takes no connection without TLS from this machine',
    'Add sslmode=verify-full to DATABASE_URL.',
  ),
  row('28P01', 'PostgreSQL refuses the password', 'Correct DATABASE_URL, and restart the server.'),
  row('53300', 'PostgreSQL has no connection left', 'Raise max_connections, or put PgBouncer before it.'),
  row('57P03', 'PostgreSQL starts or stops', 'Wait, or look at its log.'),
  row('57P01', 'PostgreSQL was restarted', 'Wait. The server connects by itself.'),
  row('ECONNREFUSED', 'nothing listens at the address of the database', 'Start it, or correct its URL.'),
];

export const causeAreas: Readonly<Record<string, readonly Cause[]>> = {
  'Any destination': Object.entries(networkCauses).map(([code, cause]) => ({
    ...cause,
    message: `${cause.message} (${code})`,
  })),
  'Webhooks and upstreams': statusCauses,
  'Chat rooms': chatCauses,
  'E-mail': Object.values(mailCauses),
  'The store and Redis': storeCauses,
};

/** Of a destination that paused itself, status and pages say so before the message. */
const patterns = [...Object.values(mailCauses), ...statusCauses, ...chatCauses].map((cause) => ({
  cause,
  pattern: new RegExp(`^(?:paused: )?${cause.message.replace('xx', '\\d\\d')}`),
}));

/** Many codes of OpenSSL and of the HTTP parser mean the same. */
function networkRow(code: string): Cause | undefined {
  if (Object.hasOwn(networkCauses, code)) return networkCauses[code];
  if (/SSL/.test(code)) return networkCauses['EPROTO'];
  if (/^(HPE_|UND_ERR_RES)/.test(code)) return networkCauses['HTTPParserError'];
  if (/CERT|TLS|VERIFY/.test(code)) return row(certificate, 'it cannot be checked', trust);
  return undefined;
}

/** The row for a message or a reason. */
function rowFor(text: string): Cause | undefined {
  const [, code = ''] = /\((\w+)\)$/.exec(text) ?? [];
  return (
    networkRow(code) ??
    patterns.find(({pattern}) => pattern.test(text))?.cause ??
    storeCauses.find(({message}) => text.includes(message))
  );
}

/** The causes that a message or a reason may have. Empty if none is known. */
export const causeOf = (text: string): string => rowFor(text)?.cause ?? '';

/** What to do about it; undefined if nobody knows. */
export const remedyOf = (text: string): string | undefined => rowFor(text)?.remedy;

/** The message as people read it: with its cause, and apart from that, what to do. */
export function explained(text: string): {text: string; remedy: string | null} {
  const known = rowFor(text);
  if (!known) return {text, remedy: null};
  // Such as `…: it ended on 2026-11-20 (CERT_HAS_EXPIRED)`, which says more than the table.
  const saysWhy = text.includes(known.cause) || /: .+\(\w+\)$/.test(text);
  return {text: saysWhy ? text : `${text}: ${known.cause}`, remedy: known.remedy};
}

/** The same in one text. */
export function withRemedy(message: string): string {
  const {text, remedy} = explained(message);
  return remedy === null ? text : `${text}. ${remedy}`;
}

/**
 * The message for a network error.
 * @param who such as `the receiver crm.example`
 * @param more says what is known besides, such as a date, in place of the cause
 * @returns undefined for a code that is not in the table
 */
export function networkMessage(code: string, who: string, more?: string): string | undefined {
  const known = networkRow(code);
  if (!known) return undefined;
  const said = `${known.message.replace('{who}', who)}: ${more ?? known.cause} (${code})`;
  return said.charAt(0).toUpperCase() + said.slice(1);
}
