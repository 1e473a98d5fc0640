// The result of a command that makes a secret, which is shown once.
import type { CommandContext } from '../../context.ts';

export interface ShownOnce {
  /** Undefined if no secret was made. */
  readonly secret: string | undefined;
  /** What the secret is, for example `the password of "ana"`. */
  readonly what: string;
  /** What to do if it was not shown. */
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
