// Reads the secrets of a login from stdin: one, or the client secret in the first line and the password in the second.
// @see docs/conformance/security.md R144
import type { CommandContext } from '../../context.ts';

interface Wanted {
  readonly passwordStdin: boolean;
  readonly clientSecretStdin: boolean;
  readonly tokenStdin: boolean;
}

export interface Secrets {
  readonly client?: string;
  readonly password?: string;
  readonly token?: string;
}

/** Reads the secrets. Stdin is read only if a flag requests it. @throws CliFailure USAGE if a line is missing */
export const readSecrets = async (context: Pick<CommandContext, 'readSecrets'>, given: Wanted): Promise<Secrets> => {
  const { passwordStdin, clientSecretStdin, tokenStdin } = given;
  const names = [
    ...(tokenStdin ? (['token'] as const) : []),
    ...(clientSecretStdin && !tokenStdin ? (['client'] as const) : []),
    ...(passwordStdin && !tokenStdin ? (['password'] as const) : []),
  ];
  if (names.length === 0) return {};
  const questions = { token: 'Token', client: 'Client secret', password: 'Password' };
  const found = await context.readSecrets(names.map((name) => questions[name]));
  return Object.fromEntries(
    names.map((name, index) => [name, name === 'password' ? found[index] : found[index]?.trim()]),
  );
};
