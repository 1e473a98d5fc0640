// `--dry-run`: prints what a command would do, in the order of the command, and changes nothing.
import type { Output } from '../../ui/output.ts';
import { flag } from './option.ts';

/** The flag of every command that changes more than one thing. @see docs/cli.md#dry-runs */
export const dryRun = flag('--dry-run', 'only print what would change');

/**
 * Prints the changes that a command would make, one per line. Returns exit code 0.
 * @param changes sentences that start with a verb: `delete config db`
 * @param value the JSON of the real run, without the values that only a real run can produce
 * @param id what `--quiet` prints
 */
export const tellDryRun = (
  { output }: { readonly output: Output },
  changes: readonly string[],
  value: Readonly<Record<string, unknown>>,
  id = '',
): number => {
  const said = changes.length === 0 ? 'nothing would change' : changes.map((each) => `would ${each}`).join('\n');
  output.report(said, { dry_run: true, ...value }, id);
  return 0;
};
