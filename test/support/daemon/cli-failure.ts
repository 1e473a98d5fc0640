// The failure that a part of the command line throws, for assertions on its code, message and hint.
import { CliFailure } from '../../../src/failure.ts';

/** The failure of `work`. Rejects if there is none, or with any other error. */
export const failureOf = async (work: Promise<unknown>): Promise<CliFailure> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};
