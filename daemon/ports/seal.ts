// Port of encryption for stored secrets that must be readable again.

/** The config, nonce or execution that a sealed text belongs to. The text cannot be decrypted for another one. */
export interface SealedFor {
  /** `config` by default. */
  readonly kind?: 'config' | 'nonce' | 'execution';
  readonly tenant: string;
  /** Name of the config, or id of the nonce or execution. */
  readonly name: string;
}

export interface Seal {
  /** Encrypts a text; the result differs each time. @throws Failure STORE_UNAVAILABLE when there is no key */
  seal(text: string, owner: SealedFor): string;
  /**
   * Decrypts a text.
   * @throws Failure STORE_UNAVAILABLE when the key is missing, or the text was modified or belongs to another owner
   */
  open(sealed: string, owner: SealedFor): string;
  /** True if the text is encrypted with the current key. */
  isCurrent(sealed: string): boolean;
  /** True if there are older keys, which means that a key rotation is not finished. */
  hasOldKeys(): boolean;
  /** Creates a new current key, durably. Older texts can still be decrypted. @throws Failure STORE_UNAVAILABLE */
  addKey(): Promise<void>;
  /** Deletes every key except the current one, durably. Call it once no text is encrypted with them. */
  dropOldKeys(): Promise<void>;
  /** Why the key is not available. Absent if it is available. */
  readonly locked?: string;
}
