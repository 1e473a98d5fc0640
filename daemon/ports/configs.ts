// Port of configs, as the engine needs them.
import type { ActorRecord } from '../domain/records/actor-records.ts';

export interface Configs {
  /**
   * JSON text of an object: name → value of every config shared with the actor now, secrets in clear text.
   * @throws Failure STORE_UNAVAILABLE when a secret cannot be decrypted
   * @see docs/http-api.md#configs
   */
  textFor(actor: Pick<ActorRecord, 'id' | 'tenant'>): string;
  /** True if that text contains the value of a config marked secret. */
  hasSecrets(actor: Pick<ActorRecord, 'id' | 'tenant'>): boolean;
}
