// Whether the outcome of an execution is a failure.
import type { Outcome } from '../../../../src/contract/outcome.ts';

/** True if a program ended by itself with another code than 0, ran into a limit, or could not run. */
export const hasFailed = ({ status, exitCode, reason }: Outcome): boolean =>
  status === 'ERROR' ||
  (status === 'COMPLETE' && reason !== 'halted' && typeof exitCode === 'number' && exitCode !== 0);
