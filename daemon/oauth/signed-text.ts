// Signed texts that clients hold for the service and return unchanged. Nothing is stored for them, so a flood of
// requests cannot displace any.
// @see docs/conformance/security.md R243
import type { Ids } from '../ports/ids.ts';
import type { Vault } from '../ports/vault.ts';

/** The signing key is in memory, so the texts become invalid when the daemon ends. */
export const createSignedTexts = ({ vault, ids }: { readonly vault: Vault; readonly ids: Ids }) => {
  const key = ids.secret();
  return {
    /** The text with its signature. The holder can read the text. */
    make: (text: string): string => {
      const encoded = Buffer.from(text).toString('base64url');
      return `${encoded}.${vault.sign(key, encoded)}`;
    },
    /** The text of a value that `make` returned; undefined for any other value. */
    read: (value: string): string | undefined => {
      const [encoded = '', signature = '', ...more] = value.split('.');
      const isOwn = vault.matches(signature, vault.digest(vault.sign(key, encoded))) && more.length === 0;
      return isOwn ? Buffer.from(encoded, 'base64url').toString() : undefined;
    },
  };
};
