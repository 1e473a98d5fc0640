// Reads the secrets of a login from stdin: one, or the client secret in the first line and the password in the second.
// @see docs/conformance/security.md R144
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';

/** Longest secret on stdin, in bytes. */
const SECRET_LIMIT = 64 * 1024;

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

const withoutLineEnd = (line: string): string => line.replace(/\r?\n$/, '');

/** Reads the secrets. Stdin is read only if a flag requests it. @throws CliFailure USAGE if stdin is empty */
export const readSecrets = async (context: Pick<CommandContext, 'read'>, given: Wanted): Promise<Secrets> => {
  const { passwordStdin, clientSecretStdin, tokenStdin } = given;
  if (!passwordStdin && !clientSecretStdin && !tokenStdin) return {};
  const whole = withoutLineEnd((await context.read('-', SECRET_LIMIT)).toString('utf8'));
  if (whole === '') throw usage('stdin is empty', 'pipe the secret into actorctl login');
  if (tokenStdin) return { token: whole.trim() };
  if (!clientSecretStdin) return { password: whole };
  const [client = '', ...rest] = whole.split('\n');
  const password = rest.join('\n');
  return { client: withoutLineEnd(client), ...(passwordStdin && { password }) };
};
