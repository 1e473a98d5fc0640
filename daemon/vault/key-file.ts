// The file of the keys that seal secrets: private, replaced as a whole, and never made anew where old secrets wait for it.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import * as z from 'zod/mini';

/** A key of AES-256 and the name under which sealed texts know it. */
export interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;

const shape = z.object({
  version: z.literal(1),
  /** The first one seals. */
  keys: z.array(z.object({ id: z.string().check(z.regex(/^[0-9a-f]{16}$/)), key: z.string() })).check(z.minLength(1)),
});

/** A key of its own, of fresh random bytes. */
export const newKey = (): Key => ({ id: randomBytes(8).toString('hex'), bytes: randomBytes(KEY_BYTES) });

/** The content of the file. */
export const keysText = (keys: readonly Key[]): string =>
  `${JSON.stringify({ version: 1, keys: keys.map(({ id, bytes }) => ({ id, key: bytes.toString('base64url') })) })}\n`;

const parse = (text: string): readonly Key[] | undefined => {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined; // worded below, together with every other content that is none; never quoted
  }
  const parsed = z.safeParse(shape, document);
  if (!parsed.success) return undefined;
  const keys = parsed.data.keys.map(({ id, key }) => ({ id, bytes: Buffer.from(key, 'base64url') }));
  return keys.every(({ bytes }) => bytes.length === KEY_BYTES) ? keys : undefined;
};

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** What was found: the keys, why they cannot be used, or that there is no file. */
export type KeysFound = { readonly keys: readonly Key[] } | { readonly refused: string } | 'none';

/**
 * Reads the keys. A file that others can read or write, or that is a link, is refused.
 * @see auth.md R130, R140
 */
export const readKeys = async (path: string): Promise<KeysFound> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { refused: `${path} is no file` };
      if ((found.mode & 0o077) !== 0) return { refused: `others can open ${path}; chmod 600 it, if you trust it` };
      const keys = parse(await file.readFile('utf8'));
      return keys === undefined ? { refused: `${path} does not hold keys; put it back from a backup` } : { keys };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none';
    if (codeOf(error) === 'ELOOP') return { refused: `${path} is a link; name the file it points to` };
    return { refused: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
};
