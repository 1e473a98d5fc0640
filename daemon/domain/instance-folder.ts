// Decides whether a data folder is the original that got its instance id, or a copy.

export interface FolderIdentity {
  /** Real path of the folder. */
  readonly path: string;
  /** Device and inode. A move within a file system preserves them; a copy does not. */
  readonly node: string;
}

/**
 * True if the folder is a copy, which needs its own instance id. A folder at the recorded path is the original or its
 * replacement. A folder elsewhere is the original only if it was moved.
 * @param recorded the folder at the last start
 * @param recordedIsThere whether there is a folder at the recorded path now
 */
export const isCopy = (recorded: FolderIdentity, now: FolderIdentity, recordedIsThere: boolean): boolean =>
  recorded.path !== now.path && (recorded.node !== now.node || recordedIsThere);
