// Actors that are ready and run nothing: what happens to them is what a measurement makes happen.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchDaemon, temporaryHome } from './daemon.ts';

export interface IdleActors {
  /** Registers one more, waits until it is ready, and sets its webhook, if there is to be one; answers its id. */
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
      // That it became ready is told before there is a webhook to tell it to.
      await daemon.until(id, 'READY');
      if (webhook !== undefined) await daemon.call('PUT', `/actors/v2/${id}`, { image, webhook });
      return id;
    },
    remove: home.remove,
  };
};
