// Decides which parts of a request and its response may be shown. @see docs/conformance/security.md R191
import type { Field } from './requests.ts';

/** `plain` is shown, `issued` is shortened until the user reveals it, `typed` is never shown. */
type Care = 'plain' | 'issued' | 'typed';

const TYPED: readonly string[] = ['password', 'client_secret'];
const ISSUED: readonly string[] = ['code', 'code_verifier', 'token', 'access_token', 'refresh_token'];

export const careOf = ({ name, value }: Field): Care => {
  const lower = name.toLowerCase();
  if (lower === 'authorization') return /^bearer /i.test(value) ? 'issued' : 'typed';
  if (TYPED.includes(lower)) return 'typed';
  return ISSUED.includes(lower) ? 'issued' : 'plain';
};

/** Shown instead of a secret, whatever its length. */
export const MASK = '••••••••';

/** Number of shown characters, enough to recognize an issued secret. */
const KEPT = 6;

/** The beginning of a secret. A short secret could be read from its beginning, so none of it is shown. */
export const shortened = (secret: string): string => {
  const [, scheme = '', text = ''] = /^(Bearer )?(.*)$/is.exec(secret) ?? [];
  return `${scheme}${text.length < 4 * KEPT ? '' : text.slice(0, KEPT)}…`;
};

/** A typed secret. The scheme of a header remains visible. */
export const masked = (secret: string): string => `${/^Basic /i.test(secret) ? 'Basic ' : ''}${MASK}`;
