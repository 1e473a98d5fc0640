// The result of a command that creates a secret. The secret is shown only once.
import type { CommandContext } from '../../context.ts';

export interface ShownOnce {
  /** The new secret. Undefined if no secret was created. */
  readonly secret: string | undefined;
  /** What the secret is, for example `the password of "ana"`. */
  readonly what: string;
  /** What to do if the secret was not shown. */
  readonly hint: string;
  readonly sentence: string;
  readonly value: unknown;
  readonly id: string;
}

/** Prints the result, and warns if the chosen output leaves the secret out: it is shown nowhere else. */
export const resultShownOnce = (
  { output }: Pick<CommandContext, 'output'>,
  { secret, what, hint, sentence, value, id }: ShownOnce,
): void => {
  const printed = output.result(sentence, value, id);
  if (secret !== undefined && !printed.includes(secret)) output.warn(`${what} is not shown: ${hint}`);
};
