// Schema of the initial state in an actor registration. @see docs/protocol.md 14.7
import * as z from 'zod/mini';

const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

/**
 * A JSON object; in a form, its text. Other JSON values can be set after the actor exists. Not a zod record, because a
 * zod record drops a member called `__proto__`.
 */
export const initialState = z.pipe(
  z.transform((value: unknown, context): unknown => {
    const state = parsed(value);
    if (typeof state === 'object' && state !== null && !Array.isArray(state)) return state;
    context.issues.push({ code: 'custom', message: 'must be a JSON object', input: value });
    return z.NEVER;
  }),
  z.unknown(),
);
