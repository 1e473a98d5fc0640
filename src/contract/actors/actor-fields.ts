// Registration fields that accept several notations: variables, lists of strings, constraints.
// @see docs/http-api.md#actors
import * as z from 'zod/mini';
import { VARIABLE_NAME } from '../variable-name.ts';
import { text } from '../wire.ts';

/** This name is refused explicitly, because zod's record schema silently drops a member with this name. */
const PROTO = '__proto__';

/** A JSON object with a member for each variable. A form sends it as JSON text. */
const variablesOf = <Value extends z.core.$ZodType>(value: Value) =>
  z.pipe(
    z.transform((given: unknown, context) => {
      let read = given;
      try {
        if (typeof given === 'string') read = JSON.parse(given);
      } catch {
        context.issues.push({ code: 'custom', message: 'must be a JSON object, written as text', input: given });
        return z.NEVER;
      }
      if (typeof read === 'object' && read !== null && Object.hasOwn(read, PROTO)) {
        context.issues.push({ code: 'custom', message: `must not have a variable named ${PROTO}`, input: given });
        return z.NEVER;
      }
      return read;
    }),
    z.record(z.string().check(z.regex(VARIABLE_NAME, 'names must look like SHELL_NAMES')), value),
  );

/** A form can send one field `default_environment[NAME]` per variable instead. */
export const environment = variablesOf(text(131_072));

/** A config, or a member of its value: `db.password`, or `users.0.name` in a list. */
export const configReference = z.strictObject({
  config: text(256).check(z.minLength(1, 'must not be empty')),
  path: z.optional(
    text(1_024).check(z.regex(/^[^.]+(?:\.[^.]+)*$/, 'must look like db.password, without empty parts')),
  ),
});

export type ConfigReference = z.output<typeof configReference>;

/** Addition to Abaco. @see docs/actors.md#variables-from-configs */
export const configEnvironment = z.pipe(
  variablesOf(configReference),
  z
    .record(z.string(), configReference)
    .check(z.refine((all) => Object.keys(all).length <= 100, 'must have at most 100 entries')),
);

/** A list of strings: one string, a JSON array, or a repeated form field. */
export const texts = z.pipe(
  z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
  z.array(text(1_024)).check(z.maxLength(100, 'must have at most 100 entries')),
);

/** Like `texts`: variables that any sender may set, or `PREFIX*`. Addition to Abaco. @see docs/http-api.md#messages */
export const senderVariables = z.pipe(
  z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
  z
    .array(
      z
        .string()
        .check(
          z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}\*?$/, 'must look like SHELL_NAME, or like PREFIX_* for a prefix'),
        ),
    )
    .check(z.maxLength(100, 'must have at most 100 entries')),
);

/** Like `texts`: constraints on the node, as in Docker Swarm. Addition to Abaco. @see docs/http-api.md#actors */
export const placement = z.pipe(
  z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
  z
    .array(
      z
        .string()
        .check(
          z.regex(
            /^(?:node\.(?:id|hostname|role|platform\.(?:os|arch))|(?:node|engine)\.labels\.[\w.-]{1,128}) *[!=]= *[\w.:/-]{1,128}$/,
            'must look like node.labels.gpu==true or node.hostname!=worker2',
          ),
        ),
    )
    .check(z.maxLength(20, 'must have at most 20 entries')),
);
