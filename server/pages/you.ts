/** `/you`: the passkeys and the sessions of whoever is signed in. */
import {Refusal} from '../admin/admin.ts';
import {html, type Html} from '../html/html.ts';
import {roles, type Passkey, type Session} from '../leads/operators.ts';
import {action, city, moment, page, saying} from './layout.ts';
import {createdPasskey, optionsToCreate} from './passkeys.ts';
import {passkeyForm} from './sign-in.ts';
import {seesPersons, type Reply, type Route, type Visit} from './visit.ts';

/**
 * Milliseconds since the sign-in in which a passkey may be added. Otherwise whoever finds an open browser could stay for
 * ever.
 */
const freshTime = 15 * 60_000;
const isFresh = ({seen, now}: Visit) => now.toMillis() - seen.beganAt < freshTime;
const addUse = ({seen}: Visit) => `passkey ${seen.digest}`;

/** Signs in what browsers say of themselves, the most telling first: most say that they are Safari, too. */
const browsers = {
  ...{Edg: 'Edge', OPR: 'Opera', SamsungBrowser: 'Samsung Internet', Firefox: 'Firefox', FxiOS: 'Firefox'},
  ...{Chrom: 'Chrome', CriOS: 'Chrome', Safari: 'Safari'},
};
const systems = {
  ...{iPhone: 'iPhone', iPad: 'iPad', Android: 'Android', CrOS: 'ChromeOS', Windows: 'Windows'},
  ...{'Mac OS': 'macOS', Linux: 'Linux'},
};
/** Such as `Firefox on Linux`. */
export function browserOf(agent: string): string {
  const [browser = 'A browser', system] = [browsers, systems].map(
    (table) => Object.entries(table).find(([sign]) => agent.includes(sign))?.[1],
  );
  return system === undefined ? browser : `${browser} on ${system}`;
}

function passkeyRow(visit: Visit, {credential, isSynced, createdAt, usedAt}: Passkey, isOnly: boolean): Html {
  return html`<li>
    <p>
      <strong>${isSynced ? 'Synced between your devices' : 'On one device only'}</strong>, made
      ${moment(visit, createdAt)},
      ${usedAt === null ? 'not used yet' : html`last used ${moment(visit, usedAt)}`}
    </p>
    ${!isOnly && action('/you/passkeys/remove', 'Remove', '', {credential})}
  </li>`;
}

function sessionRow(visit: Visit, {digest, beganAt, agent, zone}: Session): Html {
  const isThis = digest === visit.seen.digest;
  return html`<li>
    <p>
      <strong>${browserOf(agent)}</strong>, ${city({zone})}, since
      ${moment(visit, beganAt)}${isThis && ' (this one)'}
    </p>
    ${!isThis && action('/you/sessions/end', 'End', '', {session: digest})}
  </li>`;
}

async function youPage(visit: Visit): Promise<Reply> {
  const {seen, now, query, admin} = visit;
  const passkeys = await admin.store.passkeysOf(seen.operator);
  const sessions = await admin.store.sessionsOf(seen.operator, now.toMillis());
  const who = {id: seen.operator, name: seen.name};
  const add = isFresh(visit)
    ? passkeyForm(
        'create',
        '/you/passkeys',
        await optionsToCreate(admin.config, addUse(visit), who, passkeys),
        'Add a passkey',
      )
    : html`<p><a class="btn" href="/sign-in?next=/you">Sign in again to add a passkey</a></p>`;
  const second = html`<div class="asked">
    <h2>Make a second passkey now</h2>
    <p>
      If the device with your only one is lost, somebody has to invite you again. Use another device, or a
      security key.
    </p>
    <div class="row">${add}<a class="btn" href="/">Later</a></div>
  </div>`;
  const asksForSecond = query['again'] !== undefined && passkeys.length === 1;
  const main = html`<h1>${seen.name}</h1>
    <p>
      You are ${seen.role}. You see ${seesPersons(seen) ? '' : 'no '}personal data. Times are those of
      ${city(seen)}.
    </p>
    ${asksForSecond && second}
    <h2>Passkeys</h2>
    <ul class="rows">
      ${passkeys.map((passkey) => passkeyRow(visit, passkey, passkeys.length === 1))}
    </ul>
    ${!asksForSecond && add}
    <h2>Sessions</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(visit, session))}
    </ul>
    ${action('/sign-out', 'Sign out')}`;
  return {page: page({title: 'You', here: '/you'}, visit, main)};
}

const told = (visit: Visit, words: string): Reply => saying(visit, '/you', words);

async function addPasskey(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  if (!isFresh(visit))
    throw new Refusal('Sign in again first: a passkey is added within 15 minutes of that.');
  const passkey = await createdPasskey(
    admin.store,
    admin.config,
    addUse(visit),
    form.get('credential') ?? '',
  );
  if (!passkey) throw new Refusal('That passkey was not made as it should be. Try again.');
  await admin.look({operator: seen.name});
  await admin.store.addPasskey({...passkey, operator: seen.operator});
  return told(visit, 'The passkey was added.');
}

async function removePasskey(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  await admin.look({operator: seen.name});
  if (!(await admin.store.removePasskey(seen.operator, form.get('credential') ?? '')))
    throw new Refusal('That passkey is your only one, or is none of yours any more.');
  return told(visit, 'The passkey was removed. Sessions that began with it go on: end them below.');
}

async function endSession(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  await admin.look({operator: seen.name});
  const hasEnded = await admin.store.endSession(seen.operator, form.get('session') ?? '');
  return told(visit, hasEnded ? 'The session was ended.' : 'That session had ended already.');
}

export const yourRoutes: readonly Route[] = [
  {method: 'GET', path: '/you', roles, action: 'operators list', run: youPage},
  {method: 'POST', path: '/you/passkeys', roles, action: 'operators passkey', run: addPasskey},
  {method: 'POST', path: '/you/passkeys/remove', roles, action: 'operators passkey', run: removePasskey},
  {method: 'POST', path: '/you/sessions/end', roles, action: 'operators sign-out', run: endSession},
];
