/** A passkey in software, as far as servers can tell: ES256, without attestation (WebAuthn, level 3). */
import {createHash, generateKeyPairSync, randomBytes, sign} from 'node:crypto';

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const bigEndian = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** Bits of the flags: present, verified, may be synced, is synced, has a new key. */
const flagsOf = (is: {verified: boolean; synced: boolean; isNew: boolean}) =>
  1 + (is.verified ? 4 : 0) + (is.synced ? 8 + 16 : 0) + (is.isNew ? 64 : 0);

/** What a browser or an authenticator says differently than it should. */
export type Lies = {
  origin?: string;
  rpId?: string;
  verified?: boolean;
  challenge?: string;
  counter?: number;
  type?: string;
  userHandle?: string;
};
type Options = {challenge: string; rp?: {id: string}; rpId?: string; user?: {id: string}};

export function createAuthenticator({origin, synced = true}: {origin: string; synced?: boolean}) {
  const {publicKey, privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
  const {x = '', y = ''} = publicKey.export({format: 'jwk'});
  const id = randomBytes(20);
  const name = id.toString('base64url');
  let userHandle = '';
  let counter = 0;
  const count = (lies: Lies) => (synced ? (lies.counter ?? 0) : (counter = lies.counter ?? counter + 1));

  const clientData = (type: string, options: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (options: Options, lies: Lies, added?: Buffer) =>
    Buffer.concat([
      sha256(lies.rpId ?? options.rp?.id ?? options.rpId ?? ''),
      Buffer.from([flagsOf({verified: lies.verified ?? true, synced, isNew: added !== undefined})]),
      bigEndian(count(lies), 4),
      added ?? Buffer.alloc(0),
    ]);
  const answer = (response: object) =>
    JSON.stringify({id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response});

  return {
    id: name,
    /** What `navigator.credentials.create` gives, as JSON. */
    create(options: Options, lies: Lies = {}): string {
      userHandle = options.user?.id ?? '';
      // A map of COSE: EC2, ES256, P-256, x and y.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const added = Buffer.concat([Buffer.alloc(16), bigEndian(id.length, 2), id, key]);
      const data = authenticatorData(options, lies, added);
      // A map of CBOR: fmt "none", attStmt {}, authData.
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068', 'hex'),
        Buffer.from('authData'),
        Buffer.from([0x59]),
        bigEndian(data.length, 2),
        data,
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', options, lies).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    /** What `navigator.credentials.get` gives, as JSON. */
    get(options: Options, lies: Lies = {}): string {
      const [client, data] = [clientData('webauthn.get', options, lies), authenticatorData(options, lies)];
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        userHandle: lies.userHandle ?? userHandle,
      });
    },
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;
