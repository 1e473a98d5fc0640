// The nonce that this run uses instead of a token, from a flag or a variable.

export interface GivenNonce {
  /** Secret. */
  readonly value: string;
  /**
   * True: from the flag, so a command that cannot use a nonce is refused. A variable may be meant for other commands.
   */
  readonly byFlag: boolean;
}

/** The nonce of the flag, else of the variable. An empty text counts as absent. */
export const givenNonce = (flag: string | undefined, variable: string | undefined): GivenNonce | undefined => {
  const value = flag || variable;
  return value ? { value, byFlag: Boolean(flag) } : undefined;
};
