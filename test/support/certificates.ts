/** Certificates for tests, signed by an authority of their own. */
import {KeyObject, randomUUID} from 'node:crypto';
// The package below needs it, and does not load it.
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

/** Both as PEM. */
export type Certificate = {cert: string; key: string};
export type Authority = {
  /** The certificate of the authority. */
  ca: string;
  /** @param notBefore and `notAfter` are dates, such as `2020-01-01` */
  issue(host: string, notBefore?: string, notAfter?: string): Promise<Certificate>;
};

const algorithm = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'};
const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** @param signer undefined for a certificate that signs itself */
async function certify(
  host: string,
  {publicKey, privateKey}: CryptoKeyPair,
  [notBefore, notAfter]: readonly [string, string],
  signer?: {certificate: X509Certificate; privateKey: CryptoKey},
) {
  const subject = `CN=${host}`;
  return X509CertificateGenerator.create({
    subject,
    issuer: signer?.certificate.subject ?? subject,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    publicKey,
    signingKey: signer?.privateKey ?? privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(!signer, undefined, true),
      new SubjectAlternativeNameExtension([{type: 'dns', value: host}]),
    ],
  });
}
const pemOf = (certificate: X509Certificate, {privateKey}: CryptoKeyPair): Certificate => ({
  cert: certificate.toString('pem'),
  key: KeyObject.from(privateKey).export({type: 'pkcs8', format: 'pem'}).toString(),
});
const longPeriod = ['2020-01-01', '2049-01-01'] as const;

/** A self-signed certificate, which nobody trusts who does not get it as an authority. */
export async function selfSigned(host: string): Promise<Certificate> {
  const keys = await newKeys();
  return pemOf(await certify(host, keys, longPeriod), keys);
}

export async function createAuthority(): Promise<Authority> {
  const own = await newKeys();
  const certificate = await certify(`Authority ${randomUUID()}`, own, longPeriod);
  return {
    ca: certificate.toString('pem'),
    async issue(host, notBefore = longPeriod[0], notAfter = longPeriod[1]) {
      const keys = await newKeys();
      const signer = {certificate, privateKey: own.privateKey};
      return pemOf(await certify(host, keys, [notBefore, notAfter], signer), keys);
    },
  };
}
