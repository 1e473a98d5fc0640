// Field names of the JSON that commands print: always snake_case, even if the service or the source code uses another
// form.

/** The flags and variables of the command line say client id and client secret, as OAuth does. */
const renamed: Readonly<Record<string, string>> = { consumerKey: 'client_id', consumerSecret: 'client_secret' };

/** Fields whose value is user data. The keys inside stay unchanged. */
const kept: ReadonlySet<string> = new Set(['default_environment', 'state', 'value', 'msg', 'results', 'permissions']);

/** A value whose keys are user data or field names of the API. It is printed with unchanged names. */
export class OwnNames {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  toJSON(): unknown {
    return this.value;
  }
}

/**
 * The snake_case form of a field name: `actorId` → `actor_id`, `OOMKilled` → `oom_killed`. Other names stay
 * unchanged.
 */
export const snakeName = (name: string): string => {
  if (Object.hasOwn(renamed, name)) return renamed[name] ?? name;
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name) || !/[a-z]/.test(name)) return name;
  return name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase();
};

/**
 * Renames the keys of objects at any depth, except inside user data, and removes undefined values. Other values
 * stay unchanged.
 */
export const snakeKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null || ('toJSON' in value && typeof value.toJSON === 'function'))
    return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (each === undefined) return [];
      const name = snakeName(key);
      return [[name, kept.has(name) ? each : snakeKeys(each)]];
    }),
  );
};
