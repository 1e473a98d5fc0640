// What `dev` and `actors dev` have in common: one round at a time, and mistakes that wait for the next change.
import type { CommandContext } from '../../context.ts';
import type { FailureCode } from '../../contract/failure-codes.ts';
import { CliFailure } from '../../failure.ts';

/** Failures that no change of the files can mend. */
const beyondTheFiles: ReadonlySet<FailureCode> = new Set([
  'CANCELLED',
  'DAEMON_NOT_RUNNING',
  'AUTH_REQUIRED',
  'AUTH_FAILED',
  'TOKEN_EXPIRED',
]);

/**
 * The image under a name that only `dev` uses, so that the images of `deploy` and `apply` stay. It keeps the tag, which
 * may be all that tells two images apart.
 */
export const liveImage = (image: string): string => `${/:[^:/]*$/.test(image) ? image : `${image}:dev`}-live`;

/** Does one round. A mistake in the files is reported, and the next change tries again. */
export const orWait = async <T>(
  { output }: Pick<CommandContext, 'output'>,
  round: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await round();
  } catch (error) {
    if (!(error instanceof CliFailure) || beyondTheFiles.has(error.code)) throw error;
    const log = error.extras.details?.['log'];
    if (output.machine) await output.event('', { type: 'error', code: error.code, message: error.message });
    else {
      if (Array.isArray(log)) output.errorText(log.map((each) => `  | ${String(each)}\n`).join(''));
      output.warn(`${error.message}; waiting for a change`);
    }
    return undefined;
  }
};

/** Runs one task at a time. Of the tasks requested meanwhile, only the last one runs. */
export const createQueue = (onFailure: (error: unknown) => void) => {
  let busy: Promise<void> | undefined;
  let next: (() => Promise<void>) | undefined;
  const drain = async (): Promise<void> => {
    while (next) {
      const work = next;
      next = undefined;
      await work();
    }
  };
  return {
    ask: (work: () => Promise<void>): void => {
      next = work;
      busy ??= drain()
        .catch(onFailure)
        .finally(() => {
          busy = undefined;
        });
    },
    idle: (): Promise<void> => busy ?? Promise.resolve(),
  };
};
