// Folders whose files an archive reads. Deletions wait meanwhile.

export interface HeldFile {
  readonly name: string;
  readonly size: number;
  /** Absent: the content is in the file of the folder. */
  readonly content?: Buffer;
}

export interface HeldFolder {
  files(): Promise<readonly HeldFile[]>;
  path(name: string): string;
  release(): Promise<void>;
}

/** @param remove deletes a file. What it cannot delete stays */
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
