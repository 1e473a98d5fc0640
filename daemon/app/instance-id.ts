// The random id of a data folder, which labels the containers and networks of its daemon.
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';

/** Returns the id of the data folder; creates it on the first start. */
export const instanceIdOf = (store: Store, ids: Ids, clock: Clock): Promise<string> =>
  store.transact((tx) => {
    const stored = tx.get('meta', 'instance');
    if (stored !== undefined) return stored.instanceId;
    const instanceId = ids.id();
    tx.put('meta', { key: 'instance', instanceId, createdAt: clock.now() });
    return instanceId;
  });
