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
export const SCHEMA_VERSION = 3;

const firstState = ({ id, tenant, owner, state, updatedAt }: RawRecord): readonly RawRecord[] => {
  const text = JSON.stringify(state) ?? '{}';
  if (text === '{}') return [];
  return [{ actorId: id, tenant, version: 1, text, bytes: Buffer.byteLength(text), by: owner, at: updatedAt }];
};

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
  {
    // Version 2 kept the state in the actor, without its history. An empty object is what an actor without any state has.
    from: 2,
    up: (data) => {
      const actors = data['actors'] ?? [];
      return { ...data, actors: actors.map(({ state: _, ...actor }) => actor), states: actors.flatMap(firstState) };
    },
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
