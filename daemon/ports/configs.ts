// Port of configs, as the engine needs them.
import type { ReceivedConfig } from '../domain/actors/config-environment.ts';
import type { ActorRecord, ExecutionRecord } from '../domain/records/actor-records.ts';

export interface ReceivedConfigs {
  /** JSON text of an object that maps the name of each config to its value, with secrets in clear text. */
  readonly text: string;
  /** The values of the secret ones among them, as JSON texts. */
  readonly secrets: readonly string[];
  readonly all: readonly ReceivedConfig[];
}

type Owner = Pick<ExecutionRecord, 'id' | 'tenant'>;

export interface Configs {
  /**
   * Every config shared with the actor now.
   * @throws Failure STORE_UNAVAILABLE when a secret cannot be decrypted
   * @see docs/http-api.md#configs
   */
  receivedBy(actor: Pick<ActorRecord, 'id' | 'tenant'>): ReceivedConfigs;
  /** Encrypts secrets for the record of the execution that receives them. @throws Failure STORE_UNAVAILABLE */
  seal(execution: Owner, secrets: readonly string[]): string;
  /** Decrypts what `seal` returned. @throws Failure STORE_UNAVAILABLE */
  open(execution: Owner, sealed: string): readonly string[];
}
