// Migrations between schema versions: a list of pure functions, one per version.

type RawRecord = Readonly<Record<string, unknown>>;

export type RawData = Readonly<Record<string, readonly RawRecord[]>>;

export interface Migration {
  /** The schema version from which it migrates. The result has the next version. */
  readonly from: number;
  readonly up: (data: RawData) => RawData;
}

export const SCHEMA_VERSION = 5;

const firstState = ({ id, tenant, owner, state, updatedAt }: RawRecord): readonly RawRecord[] => {
  const text = JSON.stringify(state) ?? '{}';
  if (text === '{}') return [];
  return [{ actorId: id, tenant, version: 1, text, bytes: Buffer.byteLength(text), by: owner, at: updatedAt }];
};

const numbersIn = (records: readonly RawRecord[] | undefined, field: string): readonly number[] =>
  (records ?? []).map((record) => Number(record[field] ?? 0));

/** `Math.max` without its limit on the number of arguments. */
const greatest = (numbers: readonly number[]): number => numbers.reduce((most, each) => Math.max(most, each), 0);

/**
 * The first number of each tenant is above every number that a caller can hold, so that saved cursors stay valid. All
 * numbers came from one sequence, so the greatest of them bounds every cursor.
 */
const serialsAfter = (data: RawData): readonly RawRecord[] => {
  const { events, deliveries, messages, executions, users, results } = data;
  const ordered = [deliveries, messages, executions, results].flatMap((records) => numbersIn(records, 'sequence'));
  const most = greatest([...numbersIn(events, 'number'), ...ordered, ...numbersIn(users, 'uid')]);
  return (data['tenants'] ?? []).map(({ id }) => ({
    tenant: id,
    events: most,
    deliveries: most,
    users: greatest(
      numbersIn(
        users?.filter(({ tenant }) => tenant === id),
        'uid',
      ),
    ),
  }));
};

/**
 * In order and without a gap up to SCHEMA_VERSION. `migrate` builds the keys of old records with the current rules, so
 * a migration that changes the key of a collection must also change `migrate`.
 */
export const migrations: readonly Migration[] = [
  {
    // Version 1 did not count failed container starts.
    from: 1,
    up: (data) => ({
      ...data,
      actors: (data['actors'] ?? []).map((actor) => ({ startFailures: 0, ...actor })),
    }),
  },
  {
    // Version 2 stored the state in the actor, without history. An empty object equals an actor without a state.
    from: 2,
    up: (data) => {
      const actors = data['actors'] ?? [];
      return { ...data, actors: actors.map(({ state: _, ...actor }) => actor), states: actors.flatMap(firstState) };
    },
  },
  {
    // Version 3 showed callers the numbers of the instance. Existing records keep them as their numbers in the tenant.
    from: 3,
    up: (data) => ({
      ...data,
      events: (data['events'] ?? []).map((event) => ({ serial: event['number'], ...event })),
      deliveries: (data['deliveries'] ?? []).map((delivery) => ({
        serial: delivery['sequence'],
        eventSerial: delivery['eventNumber'],
        ...delivery,
      })),
      serials: serialsAfter(data),
    }),
  },
  {
    // Version 4 summed run times in whole seconds.
    from: 4,
    up: (data) => ({
      ...data,
      totals: (data['totals'] ?? []).map(({ runtime, ...totals }) => ({
        ...totals,
        runtimeMs: Number(runtime ?? 0) * 1_000,
      })),
    }),
  },
];

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
