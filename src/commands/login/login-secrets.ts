// Secrets of a login that come by stdin: one, or the client's on the first line and the password on the second. @see auth.md R144
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';

/** Longest secret on stdin, in bytes. */
const SECRET_LIMIT = 64 * 1024;

/** What stdin was asked for. */
interface Wanted {
  readonly passwordStdin: boolean;
  readonly clientSecretStdin: boolean;
  readonly tokenStdin: boolean;
}

/** What it held. */
export interface Secrets {
  readonly client?: string;
  readonly password?: string;
  readonly token?: string;
}

const withoutLineEnd = (line: string): string => line.replace(/\r?\n$/, '');

/** Reads them. Stdin is touched only when something of it was asked for. @throws CliFailure USAGE when it is empty */
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
