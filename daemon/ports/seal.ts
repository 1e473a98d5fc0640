// Port of encryption for stored secrets that must be readable again.

/** The config or nonce that a sealed text belongs to; the text cannot be opened for another one. */
export interface SealedFor {
  /** `config` by default. */
  readonly kind?: 'config' | 'nonce';
  readonly tenant: string;
  /** Name of the config, or id of the nonce. */
  readonly name: string;
}

export interface Seal {
  /** Encrypts a text; the result differs each time. @throws Failure STORE_UNAVAILABLE when there is no key */
  seal(text: string, owner: SealedFor): string;
  /** @throws Failure STORE_UNAVAILABLE when the key is missing, or the text was modified or belongs to another owner */
  open(sealed: string, owner: SealedFor): string;
  /** Whether the text is encrypted with the current key. */
  isCurrent(sealed: string): boolean;
  /** Whether there are older keys: a change of keys is not finished. */
  hasOldKeys(): boolean;
  /** Creates a new current key, durably; older texts can still be opened. @throws Failure STORE_UNAVAILABLE */
  addKey(): Promise<void>;
  /** Deletes every key except the current one, durably. Call it when no text is encrypted with them any more. */
  dropOldKeys(): Promise<void>;
  /** Why the key is not available; absent when it is. */
  readonly locked?: string;
}
