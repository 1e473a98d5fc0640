// What the commands of OAuth clients share: names of grants, and how somebody without a token proves who it is.
import type { Authentication } from '../../client/call.ts';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { flag, text } from '../kernel/option.ts';
import { passwordFromStdin } from '../kernel/read-password.ts';

/** Short words for grants beside the names that the service uses. */
const grantNames: Readonly<Record<string, string>> = {
  code: 'authorization_code',
  client: 'client_credentials',
  refresh: 'refresh_token',
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  refresh_token: 'refresh_token',
  implicit: 'implicit',
  password: 'password',
};

/** The service's names of grants that were given in either words. @throws USAGE */
export const grantsOf = (given: readonly string[]): readonly string[] =>
  given
    .flatMap((words) => words.split(/[\s,]+/))
    .filter((word) => word !== '')
    .map((word) => {
      const name = Object.hasOwn(grantNames, word) ? grantNames[word] : undefined;
      if (name === undefined)
        throw usage(`--grant: there is no grant '${word}'`, 'use code, implicit, password, client, refresh');
      return name;
    });

/** Whoever has no token yet, and no client to get one with, proves by name and password. */
export const credential = {
  username: text('--username <name>', 'ask as this user, by password instead of the login'),
  passwordStdin: flag('--password-stdin', 'read the password of --username from stdin'),
};

/** How a request proves who asks, where it is not by the login. @throws USAGE, CONFIRMATION_REQUIRED */
export const authenticationOf = async (
  context: Pick<CommandContext, 'read' | 'prompt'>,
  { username, passwordStdin }: { readonly username: string | undefined; readonly passwordStdin: boolean },
): Promise<{ readonly authentication?: Authentication }> => {
  if (username === undefined) {
    if (passwordStdin) throw usage('--password-stdin needs --username');
    return {};
  }
  const password = passwordStdin
    ? await passwordFromStdin(context)
    : await context.prompt.secret(`Password of ${username}:`, '--password-stdin');
  return { authentication: { username, password } };
};
