// The OAuth scope; only one exists. @see docs/oauth.md#scopes, docs/conformance/security.md C8
import { SCOPE } from '../../../src/contract/oauth/token.ts';

/**
 * The granted scope. Undefined if the requested scope cannot be granted. The scope may be absent or empty unless
 * `required`.
 */
export const grantedScope = (asked: string | undefined, required: boolean): string | undefined => {
  if (asked === undefined || asked === '') return required ? undefined : SCOPE;
  return asked === SCOPE ? SCOPE : undefined;
};
