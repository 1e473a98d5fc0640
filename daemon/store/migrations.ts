// How data of older schema versions becomes data of this one: a list of pure functions, one per step.

type RawRecord = Readonly<Record<string, unknown>>;

/** Every collection by name, its records in their order. */
export type RawData = Readonly<Record<string, readonly RawRecord[]>>;

export interface Migration {
  /** The version it starts from; it leads to the next one. */
  readonly from: number;
  readonly up: (data: RawData) => RawData;
}

/** The version this program reads and writes. */
export const SCHEMA_VERSION = 2;

/** In order, without a gap, up to SCHEMA_VERSION. One that changes the key of a collection must bring the old rule to `migrate`. */
export const migrations: readonly Migration[] = [
  {
    // Version 1 did not count containers that could not be started.
    from: 1,
    up: (data) => ({
      ...data,
      actors: (data['actors'] ?? []).map((actor) => ({ startFailures: 0, ...actor })),
    }),
  },
];

/** Brings data of version `from` to `to`. @throws Error when a step is missing */
export const migrateData = (
  data: RawData,
  from: number,
  to: number = SCHEMA_VERSION,
  steps: readonly Migration[] = migrations,
): RawData => {
  let migrated = data;
  for (let version = from; version < to; version += 1) {
    const step = steps.find((migration) => migration.from === version);
    if (step === undefined) throw new Error(`There is no migration from schema version ${version}.`);
    migrated = step.up(migrated);
  }
  return migrated;
};
