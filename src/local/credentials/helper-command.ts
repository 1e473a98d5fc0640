// How the keychain helper is started: this program again, with one argument.

/** First program argument that selects the helper. */
export const KEYCHAIN_ARGUMENT = '__keychain';

/** Command line of a program. */
export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}
