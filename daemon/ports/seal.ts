// The port of sealing: secrets that must be read again, encrypted while they are stored.

/** What a sealed text belongs to; under another owner it does not open. */
export interface SealedFor {
  readonly tenant: string;
  readonly name: string;
}

export interface Seal {
  /** Encrypts, differently each time. @throws Failure STORE_UNAVAILABLE when there is no key */
  seal(text: string, owner: SealedFor): string;
  /** @throws Failure STORE_UNAVAILABLE when the key is not to be had, or the text was changed or belongs to another owner */
  open(sealed: string, owner: SealedFor): string;
  /** Whether it is sealed under the key that is used for new texts. */
  isCurrent(sealed: string): boolean;
  /** Keys beside the current one: a change of keys is not finished. */
  hasOldKeys(): boolean;
  /** Makes a new key the current one, durably; older texts still open. @throws Failure STORE_UNAVAILABLE */
  addKey(): Promise<void>;
  /** Forgets every key but the current one, durably. Call it when nothing is sealed under them. */
  dropOldKeys(): Promise<void>;
  /** Why there is no key; absent when all is well. */
  readonly locked?: string;
}
