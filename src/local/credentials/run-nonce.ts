// The nonce that this command uses instead of a token, from a flag or a variable.

export interface GivenNonce {
  /** Secret. */
  readonly value: string;
  /**
   * True if the nonce came from the flag. Then a command that cannot use a nonce is refused. A variable may be
   * intended for other commands, so it is ignored there.
   */
  readonly byFlag: boolean;
}

/** The nonce of the flag, else of the variable. An empty value counts as absent. */
export const givenNonce = (flag: string | undefined, variable: string | undefined): GivenNonce | undefined => {
  const value = flag || variable;
  return value ? { value, byFlag: Boolean(flag) } : undefined;
};
