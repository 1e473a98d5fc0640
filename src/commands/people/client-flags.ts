// Shared by the commands for OAuth clients: names of grants, and authentication by name and password.
import type { Authentication } from '../../client/call.ts';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { flag, text } from '../framework/option.ts';
import { passwordFromStdin } from '../framework/read-password.ts';

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

export const grantsOf = (given: readonly string[]): readonly string[] =>
  given
    .flatMap((words) => words.split(/[\s,]+/))
    .filter((word) => word !== '')
    .map((word) => {
      const name = Object.hasOwn(grantNames, word) ? grantNames[word] : undefined;
      if (name === undefined)
        throw usage(`--grant: there is no grant "${word}"`, 'use code, implicit, password, client, refresh');
      return name;
    });

/** Credentials for a user who has no token, and no client to get one with. */
export const credential = {
  username: text('--username <name>', 'authenticate as this user by password instead of the login'),
  passwordStdin: flag('--password-stdin', 'read the password of --username from stdin'),
};

/** Returns the authentication by name and password, or none to use the login. */
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
