// Reads what a run used from the kernel of this machine. Values that cannot be read are left out.
import { constants, readFileSync } from 'node:fs';
import { access, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { EngineFacts } from '../engine/engine-facts.ts';

/** The process of a worker's network container, as the kernel sees it. */
export interface NetworkContainer {
  readonly id: string;
  readonly pid: number;
}

export interface CgroupUsage {
  /**
   * The control group for a run, which keeps its CPU time after the run has ended; undefined where actorctl cannot read
   * or remove it.
   */
  cgroupParent(ref: string, facts: EngineFacts): Promise<string | undefined>;
  /** CPU time of an ended run, in nanoseconds. */
  cpuNs(ref: string): number | undefined;
  /** Bytes received over the worker's network so far. */
  receivedBytes(holder: NetworkContainer): number | undefined;
  /** Removes the control group of a removed run. Never throws. */
  remove(ref: string): Promise<void>;
  /** Removes the control groups of the instance. Never throws. */
  removeAll(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';

const isWritable = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * The text of a file of the kernel; undefined if it cannot be read. Such a file is in memory: reading it at once takes a
 * tenth of the time that a thread of the pool takes.
 */
const readKernelFile = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const removeFolder = async (folder: string): Promise<void> => {
  try {
    await rmdir(folder);
  } catch {
    // The folder does not exist in this tree or is still in use; it is not removed by force.
  }
};

export const createCgroupUsage = (instanceId: string): CgroupUsage => {
  const instanceGroup = `/actorctl/${instanceId}`;
  const parentOf = (ref: string) => `${instanceGroup}/${ref}`;
  const isVersion2 = (): boolean => readKernelFile(path.join(ROOT, 'cgroup.controllers')) !== undefined;
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
  const forget = async (group: string) => {
    await Promise.all((await trees()).map((tree) => removeFolder(path.join(tree, group))));
  };
  let writable: Promise<boolean> | undefined;
  const canWrite = (): Promise<boolean> => isWritable(isVersion2() ? ROOT : path.join(ROOT, 'cpuacct'));

  return {
    cgroupParent: async (ref, facts) => {
      // With the systemd driver, the name would have to be a slice that systemd manages. Without write access, the
      // folders could not be removed.
      if (!facts.sameHost || facts.cgroupDriver !== 'cgroupfs') return undefined;
      writable ??= canWrite();
      return (await writable) ? parentOf(ref) : undefined;
    },
    cpuNs: (ref) => {
      const v1 = readKernelFile(path.join(ROOT, 'cpuacct', parentOf(ref), 'cpuacct.usage'));
      if (v1 !== undefined) return Number(v1);
      const v2 = /^usage_usec (\d+)$/m.exec(readKernelFile(path.join(ROOT, parentOf(ref), 'cpu.stat')) ?? '');
      return v2 ? Number(v2[1]) * 1000 : undefined;
    },
    receivedBytes: ({ id, pid }) => {
      // The process may have ended and its id may belong to another process.
      if (!readKernelFile(`/proc/${pid}/cgroup`)?.includes(id)) return undefined;
      const line = /^\s*eth0:\s*(\d+)/m.exec(readKernelFile(`/proc/${pid}/net/dev`) ?? '');
      return line ? Number(line[1]) : undefined;
    },
    remove: (ref) => forget(parentOf(ref)),
    removeAll: async () => {
      await forget(instanceGroup);
      // This fails while another instance has control groups in the folder.
      await forget(path.dirname(instanceGroup));
    },
  };
};
