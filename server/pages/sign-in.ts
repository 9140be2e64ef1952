/** Signing in and out, and invitations. Passkeys come as a field of a form. There is no password. */
import {Router, type Request, type RequestHandler, type Response} from 'express';
import {IANAZone} from 'luxon';
import {noting} from '../admin/audit.ts';
import type {Admin} from '../admin/admin.ts';
import {refuseRestored} from '../admin/repairing.ts';
import type {Config} from '../config/config.ts';
import {html, type Html} from '../html/html.ts';
import {formBody} from '../http/form-body.ts';
import {createCounters} from '../http/limits/counters.ts';
import {createFailureLimit} from '../http/limits/failure-limit.ts';
import type {Operator, Passkey} from '../leads/operators.ts';
import type {Emit} from '../observe/observations.ts';
import {clearBrowser, secretIn, seenIn, setSecret} from './guard.ts';
import {gate, hidden} from './layout.ts';
import {actorOf} from './access-log.ts';
import {createdPasskey, optionsToCreate, optionsToSignIn, usedPasskey, type Used} from './passkeys.ts';
import {goTo, isLocalPath, messageOf, sendPage} from './replies.ts';
import {newChallenge} from './secrets.ts';
import {digestOf, newSecret} from '../leads/operators.ts';
import {seesPersons} from './visit.ts';

/** Milliseconds. */
const sessionTime = 12 * 3_600_000;
/** Of one network, which is then refused for as long. Exempt are the addresses of `sign_in_exempt`. */
const [maxFailures, failureTime] = [20, 10 * 60_000];

const signInUse = 'sign-in';
const inviteUse = (digest: string) => `invitation ${digest}`;

const wrong =
  'That did not work: the passkey is not known here, or this page was open for more than five minutes. Try again.';

const unchanged =
  'Nothing was changed, because your session had ended. Sign in to go back to the page, and do it again there.';

/** A form whose button asks the browser for a passkey (pages.js). @param classes of the button */
export const passkeyForm = (
  kind: 'create' | 'get',
  to: string,
  options: object,
  words: string,
  fields: Readonly<Record<string, string>> = {},
  classes = 'main',
): Html =>
  html`<form method="post" action="${to}" data-passkey="${kind}" data-options="${JSON.stringify(options)}">
    ${hidden({credential: '', zone: '', ...fields})}<button class="btn ${classes}">${words}</button>
    <p role="alert"></p>
    <noscript><p>A passkey needs JavaScript. Everything else here works without.</p></noscript>
  </form>`;

type Parts = {admin: () => Pick<Admin, 'store' | 'config'>; emit: Emit};
/** A form that was sent. `field` is empty if it has no such field. */
type Sent = Pick<Admin, 'store' | 'config'> & {
  request: Request;
  response: Response;
  field: (name: string) => string;
};
/** Answers a form. @returns the page instead, if what was sent is wrong */
type Answering = (sent: Sent) => Promise<Html | undefined>;

export function signInRoutes({admin, emit}: Parts): Router {
  const router = Router({caseSensitive: true, strict: true});
  const limit = createFailureLimit({
    what: 'operator sign-ins',
    maxFailures: () => maxFailures,
    window: failureTime,
    exempt: () => admin().config.signInExempt,
    counters: createCounters(undefined, () => admin().config.tokenKeys[0], emit),
    emit,
  });
  const limited: RequestHandler = async (request, _response, next) => {
    limit.check(request);
    await refuseRestored(admin());
    next();
  };
  const post = (path: string, answer: Answering) =>
    router.post(path, limited, formBody, async (request, response) => {
      const form = request.body as URLSearchParams;
      const field = (name: string) => form.get(name) ?? '';
      const failure = await answer({...admin(), request, response, field});
      if (!failure) return;
      void limit.countFailure(request);
      await sendPage(request, response, failure, 403);
    });
  router.get('/sign-in', async (request, response) => {
    const {next, unchanged: isUnchanged} = request.query;
    const why = isUnchanged === undefined ? undefined : unchanged;
    const page = await signInPage(admin().config, isLocalPath(next) ? next : '/', why);
    await sendPage(request, response, page);
  });
  router.get('/invite', (request, response) => sendPage(request, response, invitePage));
  // Some mail programs encode the `#` of the link, once or more, so that the secret comes as a part of the path. This is no
  // route, because the log has the paths of routes.
  router.use(async (request, response, next) => {
    const [, rest] = /^\/invite%(?:25)*23(.*)/i.exec(request.path) ?? [];
    if (rest === undefined) return next();
    const secret = secretOf(rest);
    if (secret === undefined) return sendPage(request, response, brokenLink, 404);
    goTo(response, `/invite#${secret}`);
  });
  post('/sign-in', signIn);
  post('/invite', openInvitation);
  post('/invite/accept', acceptInvitation);
  return router;
}

async function signInPage(config: Config, next: string, why?: string): Promise<Html> {
  const options = await optionsToSignIn(config, signInUse);
  return gate(
    'Sign in',
    html`<h1>Sign in</h1>
      ${why !== undefined && html`<p class="wrong" role="alert">${why}</p>`}
      ${passkeyForm('get', '/sign-in', options, 'Sign in with a passkey', {next})}`,
  );
}

const invitePage = gate(
  'Invitation',
  html`<h1>Invitation</h1>
    <form method="post" action="/invite" data-invite>
      ${hidden({secret: ''})}<button class="btn main">Open the invitation</button>
      <noscript><p>The invitation needs JavaScript.</p></noscript>
    </form>`,
);

const noInvitation = gate(
  'Invitation',
  messageOf(
    'This invitation does not work',
    'It was used, has ended, or somebody took it back. Ask for another one.',
  ),
);
const brokenLink = gate(
  'Invitation',
  messageOf(
    'This link is not whole',
    'It was changed or cut off on its way, as some mail programs do. Copy it whole into the address bar, or ask for another one. The invitation was not used.',
  ),
);

/** The secret of an invitation in what is left of its link. Mail programs encode its `#`, and add signs to its end. */
const secretOf = (text: string): string | undefined => /(?<![\w-])[\w-]{43}(?![\w-])/.exec(text)?.[0];

const note = (store: Admin['store'], action: string, name: string, more: object = {}) =>
  noting(store, {actor: actorOf({name}), action: `operators ${action}`})({operator: name, ...more});

/**
 * Stores that a passkey was used.
 * @returns it, or undefined if the answer is wrong, was given before, or is that of a copy, which is noted
 */
export async function provenPasskey(
  {store, config}: Pick<Admin, 'store' | 'config'>,
  use: string,
  answer: string,
): Promise<Used['passkey'] | undefined> {
  const used = await usedPasskey(store, config, use, answer);
  if (!used) return undefined;
  const {passkey, counter, isCopy} = used;
  if (isCopy) {
    await note(store, 'copy', passkey.name, {reason: 'its counter went back'});
    return undefined;
  }
  await store.usePasskey(passkey.credential, counter, Date.now());
  return passkey;
}

const signIn: Answering = async (sent) => {
  const {config, response, field} = sent;
  const next = isLocalPath(field('next')) ? field('next') : '/';
  const passkey = await provenPasskey(sent, signInUse, field('credential'));
  if (passkey && (await begin(sent, passkey))) return void goTo(response, next);
  return signInPage(config, next, wrong);
};

const openInvitation: Answering = async ({store, config, request, response, field}) => {
  const secret = secretOf(field('secret'));
  if (secret === undefined) return brokenLink;
  const operator = await store.invited(digestOf(secret), Date.now());
  if (!operator) return noInvitation;
  await sendPage(request, response, await welcomePage(config, operator, secret));
  return undefined;
};

export const refusedPasskey =
  'That passkey was not taken: it is known here already, nobody was verified, or the page was open for more than five minutes. Try again, or on another device.';

async function welcomePage(config: Config, operator: Operator, secret: string, why?: string): Promise<Html> {
  const challenge = newChallenge(config.tokenKeys, inviteUse(digestOf(secret)));
  const options = await optionsToCreate(config, challenge, operator);
  const content = html`<h1>Welcome, ${operator.name}</h1>
    ${why !== undefined && html`<p class="wrong" role="alert">${why}</p>`}
    <p>You are ${operator.role}. You see ${seesPersons(operator) ? '' : 'no '}personal data.</p>
    <p>
      You sign in with a passkey: your fingerprint, your face, or the lock of your screen. There is no
      password.
    </p>
    ${passkeyForm('create', '/invite/accept', options, 'Make a passkey', {secret})}`;
  return gate('Invitation', content);
}

const acceptInvitation: Answering = async (sent) => {
  const {store, config, response, field} = sent;
  const secret = field('secret');
  const digest = digestOf(secret);
  const invited = await store.invited(digest, Date.now());
  if (!invited) return noInvitation;
  const passkey = await createdPasskey(store, config, inviteUse(digest), field('credential'));
  if (!passkey) return welcomePage(config, invited, secret, `${refusedPasskey} The invitation still works.`);
  const {id: operator, name} = invited;
  await note(store, 'passkey', name);
  const isAccepted = await store.acceptInvitation(digest, Date.now(), passkey);
  if (!isAccepted || !(await begin(sent, {...passkey, operator, name}))) return noInvitation;
  return void goTo(response, '/you?again=1');
};

type Account = Pick<Passkey, 'operator' | 'credential'> & {name: string};

/** Begins a session. @returns false if the operator was revoked, or the passkey ended, meanwhile */
async function begin({store, request, response, field}: Sent, {operator, name, credential}: Account) {
  const now = Date.now();
  await note(store, 'sign-in', name);
  const before = secretIn(request);
  const earlier = before === undefined ? undefined : await store.session(digestOf(before), now);
  if (earlier) await store.endSession(earlier.operator, earlier.digest);
  const secret = newSecret();
  const began = await store.beginSession({
    digest: digestOf(secret),
    operator,
    beganAt: now,
    expiresAt: now + sessionTime,
    zone: IANAZone.isValidZone(field('zone')) ? field('zone') : 'UTC',
    agent: (request.get('User-Agent') ?? '').slice(0, 200),
  });
  // All sessions end with a new invitation, but this one may have begun just after it.
  const isKnown = began && (await store.passkey(credential)) !== undefined;
  if (isKnown) setSecret(response, secret, sessionTime);
  else await store.endSession(operator, digestOf(secret));
  return isKnown;
}

export const signOut =
  (store: () => Admin['store']): RequestHandler =>
  async (_request, response) => {
    const seen = seenIn(response);
    await store().endSession(seen.operator, seen.digest);
    clearBrowser(response);
    // Whoever signs out is out, also if that cannot be noted.
    await note(store(), 'sign-out', seen.name).catch(() => undefined);
    goTo(response, '/sign-in');
  };
