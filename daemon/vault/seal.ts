// Sealing: AES-256-GCM with a random 96-bit nonce, bound to tenant and name, under a key that lies in a file of its own.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SEALED } from '../domain/actors/config.ts';
import { Failure } from '../domain/failure.ts';
import type { Seal, SealedFor } from '../ports/seal.ts';
import { type Key, keysText, newKey, readKeys } from './key-file.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const SHAPE = /^sealed:v1:([0-9a-f]{16}):([\w-]+)$/;

/** JSON, so that no two owners have the same text. */
const bindingOf = ({ tenant, name }: SealedFor): Buffer => Buffer.from(JSON.stringify(['config', tenant, name]));

const encrypt = ({ id, bytes }: Key, text: string, owner: SealedFor): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(bindingOf(owner));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${SEALED}${id}:${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
};

const decrypt = ({ bytes }: Key, sealed: Buffer, owner: SealedFor): string => {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bindingOf(owner))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
};

const keyIdOf = (sealed: string): string | undefined => SHAPE.exec(sealed)?.[1];

const unopened = ({ name }: SealedFor, why: string): Failure =>
  new Failure('STORE_UNAVAILABLE', `The secret config ${name} cannot be opened: ${why}.`);

export interface SealOptions {
  /** Path of the key file. */
  readonly file: string;
  /** Writes a file as a whole, durably and for its owner alone. */
  readonly replace: (path: string, text: string) => Promise<unknown>;
  /** Whether something is sealed already: then a missing file is a loss, and no new key is made in silence. */
  readonly inUse: boolean;
}

/**
 * Opens the seal, making its key on the first start. A key that is not to be had locks the secrets and nothing else: what
 * needs them is refused with the reason, and the rest goes on.
 * Rejects when a new key cannot be written.
 * @see auth.md R130
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
      locked = `the key file ${file} is missing. Put it back, or name it with ACTORCTL_CONFIG_KEY_FILE; if it is lost, delete the secret configs and restart`;
    } else await keep([newKey()]);
  } else if ('refused' in found) locked = found.refused;
  else keys = found.keys;

  const current = (): Key => {
    const [key] = keys;
    if (key === undefined)
      throw new Failure('STORE_UNAVAILABLE', `Secrets are locked: ${locked ?? 'there is no key'}.`);
    return key;
  };
  return {
    ...(locked !== undefined && { locked }),
    seal: (text, owner) => encrypt(current(), text, owner),
    open(sealed, owner) {
      const [, id, body] = SHAPE.exec(sealed) ?? [];
      if (locked !== undefined) throw unopened(owner, locked);
      const key = keys.find((each) => each.id === id);
      if (key === undefined || body === undefined)
        throw unopened(owner, `none of the keys in ${file} is the one it was sealed with`);
      try {
        return decrypt(key, Buffer.from(body, 'base64url'), owner);
      } catch (error) {
        // The cipher's own words say nothing, and nothing of the text may be told.
        if (error instanceof Error) throw unopened(owner, 'its sealed text was changed');
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
