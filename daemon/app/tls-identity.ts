// The certificate of the https listener: one supplied by the user, or one issued by a local authority in the data
// folder.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { type GivenIdentity, readGivenIdentity, type Unusable } from '../../src/local/daemon/tls-files.ts';
import { ConfigError } from '../config.ts';
import type { TlsIdentity } from '../http/tls-server.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { errnoOf } from '../store/store-errors.ts';
import type { Certified } from '../vault/certificates.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const AUTHORITY_DAYS = 10 * 365;
const LEAF_DAYS = 90;
/** Fraction of a certificate's lifetime after which it is replaced. */
const RENEWED_PART = 1 / 3;
/** Backdates certificates, because the clocks of other machines may be behind. */
const BACKDATED_MS = 60 * 60 * 1_000;

export interface IdentitySource {
  /**
   * Returns a certificate for `names`. A certificate supplied by the user is returned as it is. The local authority
   * leaves out names that it may not sign.
   */
  current(names: readonly string[]): Promise<TlsIdentity>;
  /** The certificate of the local authority, which clients must trust. Absent if the user supplied a certificate. */
  readonly authorityFile?: string;
}

export const usedOrThrow = <T extends object>(found: T | Unusable): T => {
  if ('problem' in found) throw new ConfigError(`${found.problem}; ${found.hint}`);
  return found;
};

/** Reads the supplied certificate at each call, so that a replaced file is noticed. @throws ConfigError */
const givenIdentity = (files: GivenIdentity, clock: Clock): IdentitySource => ({
  current: async () => usedOrThrow(readGivenIdentity(files, clock.now())),
});

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * The stored certificate and key, if both are complete and the certificate stays valid for a while.
 * @throws if a file cannot be read: it may contain a valid certificate that clients already trust
 */
const usable = async (folder: string, name: string, now: number): Promise<Certified | undefined> => {
  const cert = await textOf(path.join(folder, `${name}.pem`));
  const key = await textOf(path.join(folder, `${name}-key.pem`));
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const isFresh = from <= now && now < until - (until - from) * RENEWED_PART;
    return isFresh && certificate.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined; // A damaged certificate is issued again.
  }
};

const covers = ({ cert }: Certified, names: readonly string[], authority: Certified): boolean => {
  const leaf = new X509Certificate(cert);
  return (
    leaf.verify(new X509Certificate(authority.cert).publicKey) &&
    names.every((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined)
  );
};

interface LocalOptions {
  readonly folder: string;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Issues certificates from a local authority. Files have mode 0600. A certificate is renewed in the last third of its
 * lifetime.
 */
const localIdentity = ({ folder, instance, clock, logger }: LocalOptions): IdentitySource => {
  /** All names requested so far that the authority may sign. They share one certificate, which every listener uses. */
  const known = new Set<string>();

  /** The key is written first: a certificate without its key is issued again. */
  const stored = async (name: string, made: Certified): Promise<Certified> => {
    await replaceFile(path.join(folder, `${name}-key.pem`), (append) => append(made.key));
    await replaceFile(path.join(folder, `${name}.pem`), (append) => append(made.cert));
    return made;
  };

  return {
    authorityFile: path.join(folder, 'authority.pem'),
    current: async (names) => {
      const now = clock.now();
      const { createAuthority, createLeaf, isPermitted } = await import('../vault/certificates.ts');
      for (const name of names) if (isPermitted(name)) known.add(name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lifeOf = (days: number) => [now - BACKDATED_MS, now + days * DAY_MS] as const;
      let authority = await usable(folder, 'authority', now);
      if (authority === undefined) {
        authority = await stored(
          'authority',
          createAuthority(`actorctl authority of ${instance}`, ...lifeOf(AUTHORITY_DAYS)),
        );
        logger.warn({ folder }, 'made a new local authority; clients must trust it (actorctl tls trust)');
      }
      const leaf = await usable(folder, 'server', now);
      if (leaf !== undefined && covers(leaf, [...known], authority)) return leaf;
      return stored('server', createLeaf(authority, [...known], ...lifeOf(LEAF_DAYS)));
    },
  };
};

/** Chooses the source: the given files, or the local authority. Nothing is read or written before the first call. */
export const identitySource = (given: GivenIdentity | undefined, local: LocalOptions): IdentitySource =>
  given ? givenIdentity(given, local.clock) : localIdentity(local);
