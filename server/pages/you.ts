/** `/you`: the passkeys and the sessions of whoever is signed in. */
import {Refusal} from '../admin/admin.ts';
import {html, type Html} from '../html/html.ts';
import {roles, type Passkey, type Session} from '../leads/operators.ts';
import {action, city, moment, page, saying} from './layout.ts';
import {createdPasskey, optionsToCreate, optionsToSignIn} from './passkeys.ts';
import {challengeEnd, newChallenge} from './secrets.ts';
import {passkeyForm, provenPasskey, refusedPasskey} from './sign-in.ts';
import {seesPersons, type Reply, type Route, type Visit} from './visit.ts';

/** For what a challenge is, such as to remove a certain passkey in this session. */
export const useOfPasskey = ({seen}: Visit, ...what: string[]) => ['passkey', ...what, seen.digest].join(' ');

/**
 * Passkeys are changed by who has one: a session alone may be that of somebody who has found an open browser, or its cookie,
 * and who would stay for ever.
 * @throws Refusal
 */
export async function askPasskey({seen, admin, form}: Visit, use: string): Promise<void> {
  const passkey = await provenPasskey(admin, use, form.get('credential') ?? '');
  if (passkey?.operator !== seen.operator)
    throw new Refusal(
      'Nothing was changed: a passkey of yours has to agree, within five minutes after the page was opened. Try again.',
    );
}

/** Signs in what browsers say of themselves, the most telling first: most say that they are Safari, too. */
const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  SamsungBrowser: 'Samsung Internet',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  Chrom: 'Chrome',
  CriOS: 'Chrome',
  Safari: 'Safari',
};
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  CrOS: 'ChromeOS',
  Windows: 'Windows',
  'Mac OS': 'macOS',
  Linux: 'Linux',
};
/** Such as `Firefox on Linux`. */
export function browserOf(agent: string): string {
  const [browser = 'A browser', system] = [browsers, systems].map(
    (table) => Object.entries(table).find(([sign]) => agent.includes(sign))?.[1],
  );
  return system === undefined ? browser : `${browser} on ${system}`;
}

async function passkeyRow(visit: Visit, passkey: Passkey, isOnly: boolean): Promise<Html> {
  const {credential, isSynced, createdAt, usedAt} = passkey;
  const options = await optionsToSignIn(visit.admin.config, useOfPasskey(visit, 'remove', credential));
  return html`<li>
    <p>
      <strong>${isSynced ? 'Synced between your devices' : 'On one device only'}</strong>, made
      ${moment(visit, createdAt)},
      ${usedAt === null ? 'not used yet' : html`last used ${moment(visit, usedAt)}`}
    </p>
    ${!isOnly && passkeyForm('get', '/you/passkeys/remove', options, 'Remove', {passkey: credential}, '')}
  </li>`;
}

function sessionRow(visit: Visit, {digest, beganAt, agent, zone}: Session): Html {
  const isThis = digest === visit.seen.digest;
  return html`<li>
    <p>
      <strong>${browserOf(agent)}</strong>, ${city({zone})}, since
      ${moment(visit, beganAt)}${isThis && ' (this one)'}
    </p>
    ${!isThis && action('/you/sessions/end', 'End', {session: digest})}
  </li>`;
}

async function youPage(visit: Visit): Promise<Reply> {
  const {seen, now, query, admin} = visit;
  const passkeys = await admin.store.passkeysOf(seen.operator);
  const sessions = await admin.store.sessionsOf(seen.operator, now.toMillis());
  const add = query['add'] ?? '';
  const mayAdd = challengeEnd(admin.config.tokenKeys, useOfPasskey(visit, 'add'), add) !== undefined;
  const asksForSecond = query['again'] !== undefined && passkeys.length === 1;
  const toAsk = await optionsToSignIn(admin.config, useOfPasskey(visit, 'ask'));
  const ask = passkeyForm('get', '/you/passkeys/new', toAsk, 'Add a passkey');
  const who = {id: seen.operator, name: seen.name};
  const toMake = () => optionsToCreate(admin.config, Buffer.from(add, 'base64url'), who, passkeys);
  const box = mayAdd
    ? html`<h2>Now the new passkey</h2>
        <p>Use another device, or a security key.</p>
        <div class="row">
          ${passkeyForm('create', '/you/passkeys', await toMake(), 'Make the new passkey')}<a
            class="btn"
            href="/you"
            >Cancel</a
          >
        </div>`
    : html`<h2>Make a second passkey now</h2>
        <p>
          If the device with your only one is lost, somebody has to invite you again. First you are asked for
          the one that you have; then use another device, or a security key.
        </p>
        <div class="row">${ask}<a class="btn" href="/">Later</a></div>`;
  const main = html`<h1>${seen.name}</h1>
    <p>
      You are ${seen.role}. You see ${seesPersons(seen) ? '' : 'no '}personal data. Times are those of
      ${city(seen)}.
    </p>
    ${(mayAdd || asksForSecond) && html`<div class="asked">${box}</div>`}
    <h2>Passkeys</h2>
    <ul class="rows">
      ${await Promise.all(passkeys.map((passkey) => passkeyRow(visit, passkey, passkeys.length === 1)))}
    </ul>
    ${!(mayAdd || asksForSecond) && ask}
    <h2>Sessions</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(visit, session))}
    </ul>
    ${action('/sign-out', 'Sign out')}`;
  return page({title: 'You', here: '/you'}, visit, main);
}

const sayOnYou = (visit: Visit, words: string): Reply => saying(visit, '/you', words);

/** The first step: a passkey agrees to another one. The browser asks for one passkey for each press of a button. */
async function allowPasskey(visit: Visit): Promise<Reply> {
  await askPasskey(visit, useOfPasskey(visit, 'ask'));
  const challenge = newChallenge(visit.admin.config.tokenKeys, useOfPasskey(visit, 'add'));
  return {to: `/you?add=${challenge.toString('base64url')}`};
}

/** The second step. Its challenge is that to which the first step leads, so one agreement adds one passkey. */
async function addPasskey(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  const {store, config} = admin;
  const answer = form.get('credential') ?? '';
  const passkey = await createdPasskey(store, config, useOfPasskey(visit, 'add'), answer);
  if (!passkey) throw new Refusal(refusedPasskey);
  await admin.noteAccess({operator: seen.name});
  await admin.store.addPasskey({...passkey, operator: seen.operator});
  return sayOnYou(visit, 'The passkey was added.');
}

async function removePasskey(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  const passkey = form.get('passkey') ?? '';
  await askPasskey(visit, useOfPasskey(visit, 'remove', passkey));
  await admin.noteAccess({operator: seen.name});
  if (!(await admin.store.removePasskey(seen.operator, passkey)))
    throw new Refusal('That passkey is your only one, or is none of yours any more.');
  return sayOnYou(visit, 'The passkey was removed. Sessions that began with it go on: end them below.');
}

async function endSession(visit: Visit): Promise<Reply> {
  const {seen, admin, form} = visit;
  await admin.noteAccess({operator: seen.name});
  const hasEnded = await admin.store.endSession(seen.operator, form.get('session') ?? '');
  return sayOnYou(visit, hasEnded ? 'The session was ended.' : 'That session had ended already.');
}

export const yourRoutes: readonly Route[] = [
  {method: 'GET', path: '/you', roles, action: 'operators list', run: youPage},
  {method: 'POST', path: '/you/passkeys/new', roles, action: 'operators passkey', run: allowPasskey},
  {method: 'POST', path: '/you/passkeys', roles, action: 'operators passkey', run: addPasskey},
  {method: 'POST', path: '/you/passkeys/remove', roles, action: 'operators passkey', run: removePasskey},
  {method: 'POST', path: '/you/sessions/end', roles, action: 'operators sign-out', run: endSession},
];
