// Aliases for tests: unused names, and permissions written directly into the store.
import type { AliasRecord } from '../../../daemon/domain/records/resource-records.ts';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import type { Level } from '../../../src/contract/operation.ts';
import { type ActorService, type Name, startActorService } from './actor-service.ts';
import type { Answer } from './call.ts';

type Levels = Readonly<Record<string, Level>>;

export const ALIASES = '/actors/v2/aliases';

export interface AliasWorld {
  readonly service: ActorService;
  /** A name that no test has used. */
  fresh(): string;
  make(as: Name, alias: string, actorId: string): Promise<Answer>;
  /** Creates an alias of a new actor of ana. */
  made(): Promise<{ readonly alias: string; readonly actorId: string }>;
  /** The record of the alias in the store. */
  record(alias: string): AliasRecord | undefined;
  share(alias: string, permissions: Levels): Promise<void>;
  shareActor(id: string, permissions: Levels): Promise<void>;
}

/** Starts a separate service, which the test closes. */
export const startAliasWorld = async (): Promise<AliasWorld> => {
  const service = await startActorService();
  let count = 0;
  const world: AliasWorld = {
    service,
    fresh() {
      count += 1;
      return `name-${count}`;
    },
    make: (as, alias, actorId) => service.ask(as, 'POST', ALIASES, { form: { alias, actorId } }),
    async made() {
      const [alias, actorId] = [world.fresh(), await service.actor('ana')];
      const answer = await world.make('ana', alias, actorId);
      if (answer.status !== 200) throw new Error(answer.text);
      return { alias, actorId };
    },
    record: (alias) => service.store.get('aliases', nameKey('DEV', alias)),
    share: (alias, permissions) =>
      service.store.transact((tx) => {
        const present = tx.get('aliases', nameKey('DEV', alias));
        if (present) tx.put('aliases', { ...present, permissions: { ...present.permissions, ...permissions } });
      }),
    shareActor: (id, permissions) =>
      service.store.transact((tx) => {
        const present = tx.get('actors', id);
        if (present) tx.put('actors', { ...present, permissions: { ...present.permissions, ...permissions } });
      }),
  };
  return world;
};
