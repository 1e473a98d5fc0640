// The words after `--`, for a command that passes them on to another program.

import type { Leaf } from './commands/framework/command.ts';
import type { Arguments } from './commands/framework/option.ts';
import { usage } from './failure.ts';

/** True if the argument is the words after `--`. */
export const isPassedOn = (argument: Arguments[string]): boolean => argument.afterDashes !== undefined;

/**
 * Splits the words after `--` off, if the command passes them on to another program.
 * @throws CliFailure USAGE if it needs such words and there are none
 */
export const splitLine = (
  line: readonly string[],
  leaf: Leaf | undefined,
): readonly [own: readonly string[], passed: readonly string[]] => {
  const { afterDashes } = Object.values(leaf?.args ?? {}).find(isPassedOn) ?? {};
  if (afterDashes === undefined) return [line, []];
  const at = line.indexOf('--');
  const own = at < 0 ? line : line.slice(0, at);
  const passed = at < 0 ? [] : line.slice(at + 1);
  if (passed.length === 0 && afterDashes !== 'optional' && !own.includes('--help') && !own.includes('-h'))
    throw usage(...afterDashes);
  return [own, passed];
};
