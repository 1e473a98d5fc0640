// The command line that starts the keychain helper: this program with one argument.

export const KEYCHAIN_ARGUMENT = '__keychain';

export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}
