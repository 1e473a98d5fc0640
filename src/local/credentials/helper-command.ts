// How the keychain helper is started: this program again, with one argument.

export const KEYCHAIN_ARGUMENT = '__keychain';

export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}
