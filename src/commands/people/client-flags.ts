// Shared by the commands for OAuth clients: names of grants, and authentication by name and password.
import type { Authentication } from '../../client/call.ts';
import type { CommandContext } from '../../context.ts';
import { grants } from '../../contract/for-client.ts';
import type { Grant } from '../../contract/oauth/grants.ts';
import { usage } from '../../failure.ts';
import { flag, text } from '../framework/option.ts';
import { passwordFromStdin } from '../framework/read-password.ts';

/** The accepted grant names: short names, or the names of RFC 6749. */
export const grantNames: ReadonlyMap<string, Grant> = new Map([
  ['code', 'authorization_code'],
  ['client', 'client_credentials'],
  ['refresh', 'refresh_token'],
  ...grants.map((grant) => [grant, grant] as const),
]);

export const grantsOf = (given: readonly string[]): readonly string[] =>
  given.map((word) => {
    const name = grantNames.get(word);
    if (name === undefined)
      throw usage(`--grant: there is no grant "${word}"`, 'use code, implicit, password, client, refresh');
    return name;
  });

/**
 * Splits the values of a flag at commas, as the service does. @throws USAGE for a comma inside a URI, because the text
 * after it is not a URI
 */
export const redirectUrisOf = (given: readonly string[], flag: string): readonly string[] =>
  given.flatMap((value) => {
    const parts = value.split(',').map((part) => part.trim());
    if (parts.slice(1).some((part) => !/^[a-z][a-z0-9+.-]*:/i.test(part))) {
      throw usage(
        `${flag}: a comma separates two URIs, and the text after the comma in "${value}" is not a URI`,
        `write a comma inside a URI as %2C: ${value.replace(/,(?![a-z][a-z0-9+.-]*:)/gi, '%2C')}`,
      );
    }
    return parts;
  });

/** Flags for a user who has neither a token nor a client to get a token with. */
export const credential = {
  username: text('--username <name>', 'authenticate as this user by password instead of the login'),
  passwordStdin: flag('--password-stdin', 'read the password of --username from stdin'),
};

/** Returns the authentication by name and password, or none to use the login. */
export const authenticationOf = async (
  context: Pick<CommandContext, 'readSecrets' | 'prompt'>,
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
