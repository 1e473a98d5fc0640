// The file with the keys that encrypt secret configs: private, and replaced as a whole.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import * as z from 'zod/mini';

/** An AES-256 key, and the id by which sealed texts refer to it. */
export interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;

const shape = z.object({
  version: z.literal(1),
  /** The first key encrypts new texts. */
  keys: z.array(z.object({ id: z.string().check(z.regex(/^[0-9a-f]{16}$/)), key: z.string() })).check(z.minLength(1)),
});

export const newKey = (): Key => ({ id: randomBytes(8).toString('hex'), bytes: randomBytes(KEY_BYTES) });

export const keysText = (keys: readonly Key[]): string =>
  `${JSON.stringify({ version: 1, keys: keys.map(({ id, bytes }) => ({ id, key: bytes.toString('base64url') })) })}\n`;

const parse = (text: string): readonly Key[] | undefined => {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined; // The caller reports it like any other invalid content, without quoting it.
  }
  const parsed = z.safeParse(shape, document);
  if (!parsed.success) return undefined;
  const keys = parsed.data.keys.map(({ id, key }) => ({ id, bytes: Buffer.from(key, 'base64url') }));
  return keys.every(({ bytes }) => bytes.length === KEY_BYTES) ? keys : undefined;
};

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The keys, the reason why they cannot be used, or 'none' when the file does not exist. */
export type KeysFound = { readonly keys: readonly Key[] } | { readonly refused: string } | 'none';

/** Refuses a symbolic link, and a file that other users can read or write. @see docs/conformance/security.md R130, R140 */
export const readKeys = async (path: string): Promise<KeysFound> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { refused: `${path} is not a file` };
      if ((found.mode & 0o077) !== 0)
        return { refused: `other users can open ${path}; run chmod 600 on it if you trust it` };
      const keys = parse(await file.readFile('utf8'));
      return keys === undefined
        ? { refused: `${path} does not contain valid keys; restore it from a backup` }
        : { keys };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none';
    if (codeOf(error) === 'ELOOP') return { refused: `${path} is a symbolic link; name the file it points to` };
    return { refused: `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
};
