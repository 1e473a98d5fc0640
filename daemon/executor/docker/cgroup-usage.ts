// Reads a run's resource usage from this machine's kernel. Values that cannot be read are left out.
import { constants, readFileSync } from 'node:fs';
import { access, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineFacts } from '../engine/engine-facts.ts';
import { readField } from '../read-field.ts';

export interface NetworkContainer {
  readonly id: string;
  readonly pid: number;
}

/** Each run has its own control group, which keeps its figures after the run has ended. */
export type CgroupUsage = ReturnType<typeof createCgroupUsage>;

const ROOT = '/sys/fs/cgroup';
const REMOVE_ATTEMPTS = 30;
const CPU_ATTEMPTS = 50;
const RETRY_MS = 100;
/** The group in which Podman keeps its own helper process for a container, inside the group of the run. */
const MONITOR = 'conmon';

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

/** A kernel file is in memory: reading it synchronously takes a tenth of the time that the thread pool takes. */
const readKernelFile = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** The kernel refuses memory a few pages below a limit, and rounds limits down to whole pages. */
const MARGIN = 64 * 1024;

/** Removes a control group. Returns false if it is still in use; it is not removed by force. */
const removeFolder = async (folder: string): Promise<boolean> => {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return readField(error, 'code') === 'ENOENT';
  }
};

export const createCgroupUsage = (instanceId: string) => {
  const instanceGroup = `/actorctl/${instanceId}`;
  const groupOf = (ref: string) => `${instanceGroup}/${ref}`;
  let version2: boolean | undefined;
  const isVersion2 = (): boolean => {
    version2 ??= readKernelFile(path.join(ROOT, 'cgroup.controllers')) !== undefined;
    return version2;
  };
  /** False if the engine keeps no helper process in the group of a run. Looking for one is slow where there is none. */
  let mayHaveMonitor = true;
  let known: Promise<readonly string[]> | undefined;
  /** Cgroup version 1 has one tree per controller, version 2 has one tree. */
  const trees = (): Promise<readonly string[]> => {
    known ??= isVersion2()
      ? Promise.resolve([ROOT])
      : readdir(ROOT).then(
          (names) => names.map((name) => path.join(ROOT, name)),
          () => [],
        );
    return known;
  };
  const forget = async (group: string): Promise<boolean> => {
    const removed = await Promise.all((await trees()).map((tree) => removeFolder(path.join(tree, group))));
    return removed.every(Boolean);
  };
  /** Removed runs whose groups were still in use: Podman's helper process outlives a container by about a second. */
  const left = new Set<string>();
  const removeLeft = async (): Promise<void> => {
    for (const group of [...left]) {
      const gone = (await forget(group)) || ((await forget(`${group}/${MONITOR}`)) && (await forget(group)));
      if (gone) left.delete(group);
    }
  };
  const existing = async (): Promise<ReadonlySet<string>> => {
    const found = await Promise.all(
      (await trees()).map((tree) => readdir(path.join(tree, instanceGroup), { withFileTypes: true }).catch(() => [])),
    );
    return new Set(found.flat().flatMap((each) => (each.isDirectory() ? [`${instanceGroup}/${each.name}`] : [])));
  };
  /** CPU time of a group and its subgroups, in nanoseconds. */
  const cpuOf = (group: string): number | undefined => {
    if (isVersion2()) {
      const found = /^usage_usec (\d+)$/m.exec(readKernelFile(path.join(ROOT, group, 'cpu.stat')) ?? '');
      return found ? Number(found[1]) * 1000 : undefined;
    }
    const nanoseconds = readKernelFile(path.join(ROOT, 'cpuacct', group, 'cpuacct.usage'));
    return nanoseconds === undefined ? undefined : Number(nanoseconds);
  };
  let swept = false;
  let writable: Promise<boolean> | undefined;
  const canWrite = (): Promise<boolean> => isWritable(isVersion2() ? ROOT : path.join(ROOT, 'cpuacct'));

  return {
    /** The control group for a run. Undefined where actorctl cannot read or remove it. */
    cgroupParent: async (ref: string, facts: EngineFacts): Promise<string | undefined> => {
      // With the systemd driver, the name would have to be a slice managed by systemd. Without write access, the
      // folders could not be removed.
      mayHaveMonitor = facts.keepsMonitor;
      if (!facts.sameHost || facts.rootless || facts.cgroupDriver !== 'cgroupfs') return undefined;
      writable ??= canWrite();
      return (await writable) ? groupOf(ref) : undefined;
    },
    /** Removes the groups that earlier daemons left, except those of existing runs. Runs only once. Never throws. */
    sweep: async (refs: readonly string[]): Promise<void> => {
      if (swept) return;
      swept = true;
      const own = new Set(refs.map(groupOf));
      for (const group of await existing()) if (!own.has(group)) await forget(group);
    },
    cpuNs: (ref: string): number | undefined => {
      const monitor = () => (mayHaveMonitor ? (cpuOf(`${groupOf(ref)}/${MONITOR}`) ?? 0) : 0);
      for (let attempt = 1; ; attempt += 1) {
        const before = monitor();
        const all = cpuOf(groupOf(ref));
        if (all === undefined) return undefined;
        // Podman's helper process may run between the two readings, and both contain its CPU time.
        if (attempt === CPU_ATTEMPTS || monitor() === before) return all - before;
      }
    },
    /**
     * Undefined if the kernel has no figure. Meaningful only for a killed run: cgroup version 1 also reports runs that
     * are merely near their limit.
     */
    ranOutOfMemory: (ref: string, limitBytes: number): boolean | undefined => {
      if (isVersion2()) {
        const killed = /^oom_kill (\d+)$/m.exec(readKernelFile(path.join(ROOT, groupOf(ref), 'memory.events')) ?? '');
        return killed ? Number(killed[1]) > 0 : undefined;
      }
      const peak = readKernelFile(path.join(ROOT, 'memory', groupOf(ref), 'memory.max_usage_in_bytes'));
      return peak === undefined ? undefined : Number(peak) >= limitBytes - MARGIN;
    },
    receivedBytes: ({ id, pid }: NetworkContainer): number | undefined => {
      // The process may have ended, and its id may now belong to another process.
      if (!readKernelFile(`/proc/${pid}/cgroup`)?.includes(id)) return undefined;
      const line = /^\s*eth0:\s*(\d+)/m.exec(readKernelFile(`/proc/${pid}/net/dev`) ?? '');
      return line ? Number(line[1]) : undefined;
    },
    /** Removes the control group of a removed run. Never throws. */
    remove: async (ref: string): Promise<void> => {
      left.add(groupOf(ref));
      await removeLeft();
    },
    /** Removes the control groups of the instance. Never throws. */
    removeAll: async (): Promise<void> => {
      for (const group of await existing()) left.add(group);
      for (let attempt = 0; attempt < REMOVE_ATTEMPTS && left.size > 0; attempt += 1) {
        if (attempt > 0) await pause(RETRY_MS);
        await removeLeft();
      }
      await forget(instanceGroup);
      // This fails while another instance has control groups in the folder.
      await forget(path.dirname(instanceGroup));
    },
  };
};
