// Turns the failures "not found" and "forbidden" of a call into undefined.
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

/** Returns the result of a call; undefined for NOT_FOUND. @throws CliFailure every other failure */
export const ifFound = ifNoFailure('NOT_FOUND');

/** Returns the result of a call; undefined for NOT_FOUND and FORBIDDEN. @throws CliFailure every other failure */
export const ifReadable = ifNoFailure('NOT_FOUND', 'FORBIDDEN');
