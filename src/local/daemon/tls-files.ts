// Reads the files of the https listener flags: a certificate, its key, and the key of a gateway.
// `daemon restart` reads them before it stops the daemon, and the daemon reads them when it uses them.
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readOrReason } from '../small-file.ts';
import { splitGateway } from './resolve-start.ts';

export interface Unusable {
  readonly problem: string;
  readonly hint: string;
}

export interface GivenIdentity {
  readonly cert: string;
  readonly key: string;
}

const ANOTHER_FILE = 'name another file';

const read = <T>(
  flag: string,
  file: string,
  what: string,
  parse: (text: string) => T,
): { readonly text: string; readonly value: T } | Unusable => {
  const found = readOrReason(file);
  if ('reason' in found)
    return { problem: `cannot read the file of ${flag} ("${file}"): ${found.reason}`, hint: ANOTHER_FILE };
  try {
    return { text: found.text, value: parse(found.text) };
  } catch {
    return { problem: `${flag} ${file} has no ${what} in PEM format`, hint: ANOTHER_FILE };
  }
};

/** Reads `--tls-cert` and `--tls-key`. Never waits for a process. @param now ms since the epoch, for validity */
export const readGivenIdentity = (
  files: { readonly cert: string; readonly key: string },
  now: number,
): GivenIdentity | Unusable => {
  const cert = read('--tls-cert', files.cert, 'certificate', (text) => new X509Certificate(text));
  if ('problem' in cert) return cert;
  const key = read('--tls-key', files.key, 'private key without a password', (text) => createPrivateKey(text));
  if ('problem' in key) return key;
  const { validFrom, validTo } = cert.value;
  if (Date.parse(validTo) <= now)
    return { problem: `the certificate in ${files.cert} has expired: it ended on ${validTo}`, hint: 'renew it' };
  if (Date.parse(validFrom) > now)
    return {
      problem: `the certificate in ${files.cert} is not valid yet: it begins on ${validFrom}`,
      hint: ANOTHER_FILE,
    };
  if (!cert.value.checkPrivateKey(key.value))
    return {
      problem: `the key in ${files.key} does not match the certificate in ${files.cert}`,
      hint: 'use the key of that certificate',
    };
  return { cert: cert.text, key: key.text };
};

/** The public key in a PEM text: a key or a certificate. Undefined if there is none of a usable kind. */
export const parseAssertionKey = (pem: string): KeyObject | undefined => {
  try {
    const key = pem.includes('BEGIN CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem);
    const { namedCurve } = key.asymmetricKeyDetails ?? {};
    const isUsable = key.asymmetricKeyType === 'rsa' || (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1');
    return isUsable ? key : undefined;
  } catch {
    return undefined; // the caller reports that the file has no key
  }
};

export interface Gateway {
  readonly key: KeyObject;
  readonly tenant?: string;
}

/** Reads `FILE` or `TENANT=FILE` of `--legacy-jwt-public-key`. Never waits for another process. */
export const readGateway = (given: string): Gateway | Unusable => {
  const { file, tenant } = splitGateway(given);
  const found = read('--legacy-jwt-public-key', file, 'key', parseAssertionKey);
  if ('problem' in found) return found;
  if (found.value !== undefined) return { key: found.value, ...(tenant !== undefined && { tenant }) };
  return {
    problem: `--legacy-jwt-public-key ${file} has no public RSA or P-256 key in PEM format`,
    hint: 'name the key or the certificate of the gateway',
  };
};
