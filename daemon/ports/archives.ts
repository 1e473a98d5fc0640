// Port of data archives: all data of the instance at one instant, in one file.

/** What an archive says it holds. @see docs/adr/0021-backup-archives-hold-one-instant.md */
export interface ArchiveContent {
  readonly records: Readonly<Record<string, number>>;
}

export interface ArchiveOptions {
  /** True: the key of the secret configs is part of the archive. */
  readonly withKeys: boolean;
  /** Called with the part that is written, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
  /** True: an existing file is never replaced. */
  readonly isNew?: boolean;
}

export interface Archives {
  /**
   * Writes all data as they are at the moment of the call, while writes go on. An existing file is replaced,
   * unless the file must be new. If it fails, no file remains and an existing one stays.
   * @throws Failure ALREADY_EXISTS, STORE_UNAVAILABLE; the reason of `signal`
   */
  write(file: string, options: ArchiveOptions): Promise<{ readonly manifest: ArchiveContent; readonly size: number }>;
}
