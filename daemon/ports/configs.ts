// The port of configs, as the engine sees them.
import type { ActorRecord } from '../domain/records/actor-records.ts';

export interface Configs {
  /**
   * JSON text of an object: name → value of every config that is shared with the actor at this moment, secrets in clear.
   * @throws Failure STORE_UNAVAILABLE when a secret cannot be opened
   * @see spec 8.4
   */
  textFor(actor: Pick<ActorRecord, 'id' | 'tenant'>): string;
}
