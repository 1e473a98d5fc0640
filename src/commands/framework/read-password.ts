// Reads passwords from stdin or a prompt, never from the value of a flag.
// @see docs/conformance/security.md R144, docs/cli.md#credentials
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';

/** Returns the first line of stdin. @throws USAGE if it is empty */
export const passwordFromStdin = async ({ readSecrets }: Pick<CommandContext, 'readSecrets'>): Promise<string> => {
  const [password = ''] = await readSecrets(['Password']);
  return password;
};

/** Prompts twice, to detect a typing mistake. @throws USAGE if the two differ, CONFIRMATION_REQUIRED */
export const newPassword = async ({ prompt }: Pick<CommandContext, 'prompt'>, instead: string): Promise<string> => {
  const password = await prompt.secret('Password:', instead);
  if ((await prompt.secret('Password again:', instead)) !== password) throw usage('the two passwords differ');
  return password;
};
