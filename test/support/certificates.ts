/** Certificates for tests, made by the program openssl and signed by an authority of their own. */
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {need} from './installed.ts';
import {makeTemporaryFolder} from './temporary-folder.ts';

export type Certificate = {cert: string; key: string};
export type Authority = {
  /** The certificate of the authority. */
  ca: string;
  /** @param from and `until` are times as ASN.1 writes them, such as `20200101000000Z` */
  issue(host: string, from?: string, until?: string): Certificate;
};

const configuration = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
`;

/** Makes a self-signed certificate. */
export function selfSigned(host: string): Certificate {
  const folder = makeTemporaryFolder();
  try {
    const run = runIn(folder.path);
    run('req', '-x509', ...newKey('self.key'), ...named(host), '-days', '2', '-out', 'self.pem');
    return read(folder.path, 'self');
  } finally {
    folder.remove();
  }
}

/** @param owner removes the files of the authority at its end */
export function createAuthority(owner: {after(work: () => unknown): void}): Authority {
  const folder = makeTemporaryFolder();
  owner.after(() => folder.remove());
  const run = runIn(folder.path);
  const file = (name: string) => join(folder.path, name);
  writeFileSync(file('ca.cnf'), configuration);
  writeFileSync(file('index.txt'), '');
  writeFileSync(file('serial'), '01\n');
  run(
    'req',
    '-x509',
    ...newKey('ca.key'),
    '-subj',
    '/CN=Authority of a test',
    '-days',
    '2',
    '-out',
    'ca.pem',
  );
  let issued = 0;
  return {
    ca: readFileSync(file('ca.pem'), 'utf8'),
    issue(host, from = '20200101000000Z', until = '20490101000000Z') {
      const name = `issued-${(issued += 1)}`;
      run('req', ...newKey(`${name}.key`), ...named(host), '-out', `${name}.csr`);
      const by = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key'];
      const period = ['-startdate', from, '-enddate', until];
      run('ca', '-batch', '-notext', ...by, ...period, '-in', `${name}.csr`, '-out', `${name}.pem`);
      return read(folder.path, name);
    },
  };
}

const runIn =
  (cwd: string) =>
  (...args: string[]) =>
    void execFileSync(need('openssl'), args, {cwd, stdio: ['ignore', 'ignore', 'pipe']});
const newKey = (file: string) => [
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  file,
];
const named = (host: string) => ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
const read = (folder: string, name: string): Certificate => ({
  cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  key: readFileSync(join(folder, `${name}.key`), 'utf8'),
});
