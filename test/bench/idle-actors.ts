// Actors that are ready and run nothing, so that only the measurement causes events.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchDaemon, temporaryHome } from './daemon.ts';

export interface IdleActors {
  /** Registers another actor, waits until it is ready, sets its webhook if one is given, and returns its id. */
  add(webhook?: string): Promise<string>;
  remove(): void;
}

export const idleActors = (daemon: BenchDaemon): IdleActors => {
  const home = temporaryHome();
  writeFileSync(path.join(home.folder, 'actor.json'), JSON.stringify({ command: ['true'] }));
  const image = `file://${home.folder}`;
  return {
    add: async (webhook) => {
      const { id = '' } = await daemon.call('POST', '/actors/v2', { image });
      // The webhook is set after the actor is ready, so that the ready event is not delivered.
      await daemon.until(id, 'READY');
      if (webhook !== undefined) await daemon.call('PUT', `/actors/v2/${id}`, { image, webhook });
      return id;
    },
    remove: home.remove,
  };
};
