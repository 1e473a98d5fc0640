// Passwords into the command line: never as the value of a flag. @see auth.md R144, cli.md R11
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';

/** Largest password on stdin, in bytes. */
const LIMIT = 4_096;

/** The first line of stdin. @throws USAGE when there is none */
export const passwordFromStdin = async ({ read }: Pick<CommandContext, 'read'>): Promise<string> => {
  const [line = ''] = (await read('-', LIMIT)).toString('utf8').split(/\r?\n/);
  if (line === '') throw usage('stdin holds no password', 'echo the password into the command');
  return line;
};

/** Asks twice, so that a slip of the finger is noticed. @throws USAGE when the two differ, CONFIRMATION_REQUIRED */
export const newPassword = async ({ prompt }: Pick<CommandContext, 'prompt'>, instead: string): Promise<string> => {
  const password = await prompt.secret('Password:', instead);
  if ((await prompt.secret('The same again:', instead)) !== password) throw usage('the two passwords differ');
  return password;
};
