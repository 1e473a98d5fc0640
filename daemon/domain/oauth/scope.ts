// The scope: there is one, and it is written exactly so. @see spec 5.3, auth.md C8
import { SCOPE } from '../../../src/contract/oauth/token.ts';

/** The granted scope, or undefined when what was asked for cannot be granted. Absent (or empty) is fine unless `required`. */
export const grantedScope = (asked: string | undefined, required: boolean): string | undefined => {
  if (asked === undefined || asked === '') return required ? undefined : SCOPE;
  return asked === SCOPE ? SCOPE : undefined;
};
