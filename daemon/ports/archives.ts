// Port of data archives, each with all data of the instance at one instant in one file.

/** An archive's description of its content. @see docs/adr/0021-backup-archives-hold-one-instant.md */
export interface ArchiveContent {
  readonly records: Readonly<Record<string, number>>;
}

export interface ArchiveOptions {
  /** True if the key of the secret configs is part of the archive. */
  readonly withKeys: boolean;
  /** Called with the fraction that is written, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
  /** True if an existing file must not be replaced. */
  readonly isNew?: boolean;
}

export interface Archives {
  /**
   * Writes all data as they are at the moment of the call, while writes continue. An existing file is replaced, unless
   * the file must be new. On failure, no partial file remains and an existing file is unchanged.
   * @throws Failure ALREADY_EXISTS, STORE_UNAVAILABLE; the reason of `signal`
   */
  write(file: string, options: ArchiveOptions): Promise<{ readonly manifest: ArchiveContent; readonly size: number }>;
}
