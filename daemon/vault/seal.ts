// Encrypts secrets that must be readable again with AES-256-GCM and a random 96-bit IV; each text is bound to its tenant
// and to its config or nonce.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SEALED } from '../domain/actors/config.ts';
import { Failure } from '../domain/failure.ts';
import type { Seal, SealedFor } from '../ports/seal.ts';
import { type Key, keysText, newKey, readKeys } from './key-file.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const SHAPE = /^sealed:v1:([0-9a-f]{16}):([\w-]+)$/;

/** The owner as JSON, so that two different owners never give the same text. */
const bindingOf = ({ kind = 'config', tenant, name }: SealedFor): Buffer =>
  Buffer.from(JSON.stringify([kind, tenant, name]));

const encrypt = ({ id, bytes }: Key, text: string, owner: SealedFor): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, iv, { authTagLength: TAG_BYTES }).setAAD(bindingOf(owner));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${SEALED}${id}:${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`;
};

const decrypt = ({ bytes }: Key, sealed: Buffer, owner: SealedFor): string => {
  const iv = sealed.subarray(0, IV_BYTES);
  const body = sealed.subarray(IV_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, bytes, iv, { authTagLength: TAG_BYTES })
    .setAAD(bindingOf(owner))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
};

const keyIdOf = (sealed: string): string | undefined => SHAPE.exec(sealed)?.[1];

const KINDS = {
  config: 'secret config',
  nonce: 'secret of the nonce',
  execution: 'secrets of the execution',
} as const;

const nameOf = ({ kind = 'config', name }: SealedFor): string => `${KINDS[kind]} "${name}"`;

const unopened = (owner: SealedFor, why: string): Failure =>
  new Failure('STORE_UNAVAILABLE', `The ${nameOf(owner)} cannot be decrypted: ${why}.`);

export interface SealOptions {
  readonly file: string;
  /** Writes a whole file durably, readable by its owner only. */
  readonly replace: (path: string, text: string) => Promise<unknown>;
  /** True if encrypted texts already exist. A missing key file is then an error, and no new key is created. */
  readonly inUse: boolean;
}

/**
 * Opens the key file, and creates it on the first start. When the key is not available, only the secrets are locked:
 * requests that need them are refused with the reason, and everything else works.
 * Rejects when a new key cannot be written.
 * @see docs/conformance/security.md R130
 */
export const openSeal = async ({ file, replace, inUse }: SealOptions): Promise<Seal> => {
  let keys: readonly Key[] = [];
  let locked: string | undefined;
  const keep = async (next: readonly Key[]): Promise<void> => {
    await replace(file, keysText(next));
    keys = next;
  };
  const found = await readKeys(file);
  if (found === 'none') {
    if (inUse) {
      locked = `the key file ${file} is missing. Restore it, or name its path in ACTORCTL_CONFIG_KEY_FILE. If it is lost, delete the secret configs and restart the daemon`;
    } else await keep([newKey()]);
  } else if ('refused' in found) locked = found.refused;
  else keys = found.keys;

  const current = (what = 'Secret configs are'): Key => {
    const [key] = keys;
    if (key === undefined) throw new Failure('STORE_UNAVAILABLE', `${what} locked: ${locked ?? 'there is no key'}.`);
    return key;
  };
  return {
    locked,
    seal: (text, owner) =>
      encrypt(current(owner.kind === 'nonce' ? 'Nonces of this listener are' : undefined), text, owner),
    open(sealed, owner) {
      const [, id, body] = SHAPE.exec(sealed) ?? [];
      if (locked !== undefined) throw unopened(owner, locked);
      const key = keys.find((each) => each.id === id);
      if (key === undefined || body === undefined)
        throw unopened(owner, `${file} does not contain the key that encrypted it`);
      try {
        return decrypt(key, Buffer.from(body, 'base64url'), owner);
      } catch (error) {
        // The message of the cipher is not useful, and nothing about the text may be revealed.
        if (error instanceof Error) throw unopened(owner, 'its stored text was modified');
        throw error;
      }
    },
    isCurrent: (sealed) => keyIdOf(sealed) === keys[0]?.id,
    hasOldKeys: () => keys.length > 1,
    async addKey() {
      current();
      await keep([newKey(), ...keys]);
    },
    async dropOldKeys() {
      await keep([current()]);
    },
  };
};
