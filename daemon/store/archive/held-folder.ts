// Folders whose files an archive reads. Deletions wait until the archive has read the files.

export interface HeldFile {
  readonly name: string;
  readonly size: number;
  /** If absent, the content is that of the file in the folder. */
  readonly content?: Buffer;
}

export interface HeldFolder {
  files(): Promise<readonly HeldFile[]>;
  path(name: string): string;
  release(): Promise<void>;
}

/**
 * Delays the deletions of files while their folder is held.
 * @param remove deletes a file; a file that it cannot delete stays
 */
export const holdDeletions = (remove: (name: string) => Promise<unknown>) => {
  let holds = 0;
  const due = new Set<string>();
  return {
    /** Deletes the file, or notes the deletion while the folder is held. */
    async delete(name: string): Promise<void> {
      if (holds > 0) due.add(name);
      else await remove(name);
    },
    /** Holds the folder. The returned function carries out the noted deletions once nothing else holds the folder. */
    hold(): () => Promise<void> {
      holds += 1;
      let held = true;
      return async () => {
        if (!held) return;
        held = false;
        holds -= 1;
        if (holds > 0) return;
        const names = [...due];
        due.clear();
        for (const name of names) await remove(name).catch(() => undefined);
      };
    },
  };
};
