// Turns the failures "not found", "forbidden" and "method not allowed" of a call into undefined.
import { CliFailure } from '../../failure.ts';

const ifNoFailure =
  (...codes: readonly string[]) =>
  async <T>(answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CliFailure && codes.includes(error.code)) return undefined;
      throw error;
    }
  };

export const ifFound = ifNoFailure('NOT_FOUND');

export const ifReadable = ifNoFailure('NOT_FOUND', 'FORBIDDEN');

/** A name that equals a reserved path segment can select another route, which does not allow the method. */
export const ifRouted = ifNoFailure('NOT_FOUND', 'METHOD_NOT_ALLOWED');
