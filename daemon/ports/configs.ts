// Port of configs, as the engine needs them.
import type { ActorRecord } from '../domain/records/actor-records.ts';

export interface Configs {
  /**
   * JSON text of an object that maps the name to the value of every config shared with the actor now, with secrets in
   * clear text.
   * @throws Failure STORE_UNAVAILABLE when a secret cannot be decrypted
   * @see docs/http-api.md#configs
   */
  textFor(actor: Pick<ActorRecord, 'id' | 'tenant'>): string;
  /** True if the JSON text contains the value of a secret config. */
  hasSecrets(actor: Pick<ActorRecord, 'id' | 'tenant'>): boolean;
}
