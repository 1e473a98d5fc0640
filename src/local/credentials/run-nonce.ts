// The nonce that a run was given to show instead of a token.

/** What is shown instead of a token where the service takes it. */
export interface GivenNonce {
  /** Secret. */
  readonly value: string;
  /** Given by the flag: a command that cannot use it is a mistake. A variable is there for other commands as well. */
  readonly byFlag: boolean;
}

/** The nonce of the flag, else that of the variable; empty text is none. */
export const givenNonce = (flag: string | undefined, variable: string | undefined): GivenNonce | undefined => {
  const value = flag || variable;
  return value ? { value, byFlag: Boolean(flag) } : undefined;
};
