// Decides whether a data folder is the one that got its instance id, or a copy of it.

export interface FolderIdentity {
  /** Real path. */
  readonly path: string;
  /** Device and inode. A move within a file system keeps them, a copy does not. */
  readonly node: string;
}

/**
 * True if the folder is a copy that needs an instance id of its own. A folder at the recorded path is the original or
 * replaces it. A folder elsewhere is the original only if it was moved.
 * @param recorded the folder at the last start
 * @param recordedIsThere whether there is a folder at the recorded path now
 */
export const isCopy = (recorded: FolderIdentity, now: FolderIdentity, recordedIsThere: boolean): boolean =>
  recorded.path !== now.path && (recorded.node !== now.node || recordedIsThere);
