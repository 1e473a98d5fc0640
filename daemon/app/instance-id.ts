// The random id of a data folder, which labels what its daemon puts into an engine.
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';

/** The id of the data folder; made with its first start. */
export const instanceIdOf = (store: Store, ids: Ids, clock: Clock): Promise<string> =>
  store.transact((tx) => {
    const known = tx.get('meta', 'instance');
    if (known !== undefined) return known.instanceId;
    const instanceId = ids.id();
    tx.put('meta', { key: 'instance', instanceId, createdAt: clock.now() });
    return instanceId;
  });
