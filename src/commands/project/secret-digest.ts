// Digests of secrets, which show that a secret changed. They are slow and salted, because the record of a project can be
// read by everyone with READ on it.
import { randomName } from '../../local/credentials/crypto.ts';

const LENGTH = 16;

export const newSalt = (): string => randomName(16);

/** The digest of a text: scrypt with the default costs of Node. */
export const digestOf = (text: string, salt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    process
      .getBuiltinModule('node:crypto')
      .scrypt(text, salt, LENGTH, (error, key) => (error ? reject(error) : resolve(key.toString('hex'))));
  });
