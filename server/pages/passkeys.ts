/** Passkeys: what a browser is asked for, and whether its answer is right. Nothing is stored here. */
import type {AuthenticationResponseJSON, RegistrationResponseJSON} from '@simplewebauthn/server';
import type {Config} from '../config/config.ts';
import type {Operator, OperatorStore, Passkey} from '../leads/operators.ts';
import {challengeEnd, challengeTime, newChallenge} from './secrets.ts';

/** It takes memory, and most requests need none of it. */
const library = () => import('@simplewebauthn/server');

const originOf = ({admin}: Pick<Config, 'admin'>): string => {
  if (!admin) throw new Error('ADMIN_URL is missing');
  return admin.url;
};
const hostOf = (config: Config) => new URL(originOf(config)).hostname;
const userIdOf = (operator: string) => Buffer.from(operator);

/** @param use for what the challenge is, and for whom */
export async function optionsToSignIn(config: Config, use: string): Promise<object> {
  const {generateAuthenticationOptions} = await library();
  return generateAuthenticationOptions({
    rpID: hostOf(config),
    challenge: newChallenge(config.tokenKeys, use),
    timeout: challengeTime,
    userVerification: 'required',
  });
}

/** @param known passkeys that the operator has already, so that no device makes a second one */
export async function optionsToCreate(
  config: Config,
  challenge: Buffer<ArrayBuffer>,
  {id, name}: Pick<Operator, 'id' | 'name'>,
  known: readonly Passkey[] = [],
): Promise<object> {
  const {generateRegistrationOptions} = await library();
  return generateRegistrationOptions({
    rpName: 'Leads',
    rpID: hostOf(config),
    userName: name,
    userID: userIdOf(id),
    challenge,
    timeout: challengeTime,
    excludeCredentials: known.map(({credential}) => ({id: credential})),
    authenticatorSelection: {residentKey: 'required', userVerification: 'required'},
  });
}

/** As browsers write the id of a passkey. */
const passkeyId = /^[\w-]+$/;

/** Undefined if the text is no answer of a browser. */
function parsed<Answer extends {id: string}>(text: string): Answer | undefined {
  try {
    const answer = JSON.parse(text) as Answer | null;
    return typeof answer?.id === 'string' && passkeyId.test(answer.id) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** What the library checks besides the challenge, of which it finds the signed one. */
function expected(config: Config, use: string) {
  let signed: {text: string; expiresAt: number} | undefined;
  return {
    rules: {
      expectedOrigin: originOf(config),
      expectedRPID: hostOf(config),
      requireUserVerification: true,
      expectedChallenge(text: string) {
        const expiresAt = challengeEnd(config.tokenKeys, use, text);
        signed = expiresAt === undefined ? undefined : {text, expiresAt};
        return signed !== undefined;
      },
    },
    /** Only after all else is right, so that strangers cannot fill the store with challenges. */
    spend: async (store: Pick<OperatorStore, 'spendChallenge'>) =>
      signed !== undefined && (await store.spendChallenge(signed.text, signed.expiresAt)),
  };
}

/** The library throws for all that is wrong, and has nothing to do with the store. */
const orUndefined = () => undefined;

type NewPasskey = Omit<Passkey, 'operator' | 'usedAt'>;

/** @returns undefined if the answer is wrong, was given before, or the passkey is known already */
export async function createdPasskey(
  store: OperatorStore,
  config: Config,
  use: string,
  text: string,
): Promise<NewPasskey | undefined> {
  const response = parsed<RegistrationResponseJSON>(text);
  if (!response) return undefined;
  const {verifyRegistrationResponse} = await library();
  const {rules, spend} = expected(config, use);
  const checked = await verifyRegistrationResponse({response, ...rules}).catch(orUndefined);
  if (!checked?.verified || !(await spend(store))) return undefined;
  const {credential, credentialDeviceType} = checked.registrationInfo;
  if (await store.passkey(credential.id)) return undefined;
  return {
    credential: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    isSynced: credentialDeviceType === 'multiDevice' ? 1 : 0,
    createdAt: Date.now(),
  };
}

type Known = NonNullable<Awaited<ReturnType<OperatorStore['passkey']>>>;
export type Used = {passkey: Known; counter: number; isCopy: boolean};

/**
 * @returns undefined if the answer is wrong or was given before. `isCopy`: the counter of a passkey that cannot leave its
 *   device went back, so there are two of it
 */
export async function usedPasskey(
  store: OperatorStore,
  config: Config,
  use: string,
  text: string,
): Promise<Used | undefined> {
  const response = parsed<AuthenticationResponseJSON>(text);
  const passkey = response && (await store.passkey(response.id));
  if (!passkey) return undefined;
  const {verifyAuthenticationResponse} = await library();
  const {rules, spend} = expected(config, use);
  // Its own check of the counter comes before that of the signature, so anybody could fail it.
  const credential = {id: passkey.credential, publicKey: new Uint8Array(passkey.publicKey), counter: 0};
  const checked = await verifyAuthenticationResponse({response, credential, ...rules}).catch(orUndefined);
  if (!checked?.verified) return undefined;
  const user = Buffer.from(response.response.userHandle ?? '', 'base64url');
  if (!userIdOf(passkey.operator).equals(user)) return undefined;
  if (!(await spend(store))) return undefined;
  const {newCounter: counter} = checked.authenticationInfo;
  const wentBack = counter <= passkey.counter && (counter > 0 || passkey.counter > 0);
  return {passkey, counter, isCopy: wentBack && passkey.isSynced === 0};
}
