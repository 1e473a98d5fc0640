// Schemas for values in requests and responses. JSON values have types; form fields are always text.
import * as z from 'zod/mini';
import { CURSOR } from './event-cursor.ts';

const TRUE = new Set(['true', '1']);
const FALSE = new Set(['false', '0']);

/** A JSON boolean, or the text true, false, 1 or 0 in any case. Other values are refused. @see docs/http-api.md#requests */
export const formBoolean = z.pipe(
  z.transform((value: unknown, context) => {
    if (typeof value === 'boolean') return value;
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    if (TRUE.has(text)) return true;
    if (FALSE.has(text)) return false;
    context.issues.push({ code: 'custom', message: 'must be true or false', input: value });
    return z.NEVER;
  }),
  z.boolean(),
);

/** A safe integer as a JSON number or as decimal text. `min` and `max` are inclusive. */
export const formInteger = (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) =>
  z.pipe(
    z.transform((value: unknown, context) => {
      const number =
        typeof value === 'number'
          ? value
          : typeof value === 'string' && /^-?\d{1,16}$/.test(value)
            ? Number(value)
            : Number.NaN;
      if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
      context.issues.push({
        code: 'custom',
        message:
          min === Number.MIN_SAFE_INTEGER && max === Number.MAX_SAFE_INTEGER
            ? 'must be a whole number'
            : `must be a whole number from ${min} to ${max}`,
        input: value,
      });
      return z.NEVER;
    }),
    z.number(),
  );

/** Text without NUL, of at most `max` characters. */
export const text = (max = 65_536) =>
  z.string().check(
    z.maxLength(max, `must be at most ${max} characters`),
    z.refine((value: string) => !value.includes('\0'), 'must not contain NUL'),
  );

/** A time in requests and responses: ISO 8601 UTC with milliseconds and `Z`. */
export const time = z.string();

export const toWireTime = (ms: number): string => new Date(ms).toISOString();

/** ISO 8601 with a time zone. */
export const moment = z
  .string()
  .check(
    z.refine(
      (value: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
        !Number.isNaN(Date.parse(value)),
      'must be a time like 2026-01-31T12:00:00Z',
    ),
  );

/** A list: a repeated parameter, or one comma-separated parameter. Empty entries are ignored. */
export const several = (name: z.ZodMiniString) =>
  z.pipe(
    z.transform((value: unknown) =>
      (Array.isArray(value) ? value : [value]).flatMap((part: unknown) =>
        typeof part === 'string' ? part.split(',').filter((each) => each !== '') : [part],
      ),
    ),
    z.array(name).check(z.maxLength(1_000, 'must have at most 1000 entries')),
  );

/** A position in the sequence of events. `0` is the position before the oldest event. */
export const cursor = z.string().check(z.regex(CURSOR, 'must be a cursor, the id of an event, or 0'));

/** Links of a record: name → absolute URL. */
export const links = z.record(z.string(), z.string());

export const nothing = z.object({});
