// Validates the input of a management action.
import type * as z from 'zod/mini';
import { Failure } from '../domain/failure.ts';

/** Returns the parsed input. @throws Failure VALIDATION naming the first invalid field */
export const readInput = <S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure('VALIDATION', `${issue?.path.join('.')}: ${issue?.message}`);
};
