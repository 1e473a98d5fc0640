// Values in the description of an actor: its variables, and the unit of processors.
import { ExactNumber } from '../../contract/exact-json.ts';

export const NANO_CPUS = 1_000_000_000;

export type Description = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** The description with these variables instead of its own. */
export const withVariables = (
  { default_environment: _texts, configEnvironment: _references, ...description }: Description,
  variables: Readonly<Record<string, unknown>>,
): Description => {
  const given = (isOne: (value: unknown) => boolean) => {
    const some = Object.entries(variables).filter(([, value]) => isOne(value));
    return some.length === 0 ? undefined : Object.fromEntries(some);
  };
  const [texts, references] = [given((value) => !isRecord(value)), given(isRecord)];
  return {
    ...description,
    ...(texts && { default_environment: texts }),
    ...(references && { configEnvironment: references }),
  };
};
