// Finds out whether a process runs, and whether a recorded process id still belongs to the same process.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from '../failure.ts';

/** A process. The system reuses process ids, so start time and boot are recorded too; both are empty outside Linux. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since the boot. */
  readonly processStart: string;
  readonly bootId: string;
}

/** The text of a file below /proc, or an empty text: the process has ended, or the system has no /proc. */
const readProc = (file: string): string => {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return '';
  }
};

const bootId = (): string => readProc('sys/kernel/random/boot_id').trim();

/** @see proc(5) /proc/PID/stat: field 3 is the state, field 22 the start time */
const statOf = (pid: number): { readonly state: string; readonly start: string } => {
  const stat = readProc(`${pid}/stat`);
  // Field 2, the name, is in parentheses and may contain any character, so fields are counted from the last
  // parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
};

/**
 * True even for a process of another user. False for a zombie, which the parent process in a container may never
 * collect.
 */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
  const { state } = statOf(pid);
  return state !== 'Z' && state !== 'X';
};

/**
 * Identifies this machine since its last boot. A host name or machine id would not suffice: a name may change, and
 * clones have the same id. Empty if the system provides no boot id.
 */
export const machineId = (): string => {
  if (process.platform !== 'darwin') return bootId();
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return String(spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).stdout ?? '').trim();
};

export const identityOf = (pid: number): ProcessIdentity => ({
  pid,
  processStart: statOf(pid).start,
  bootId: bootId(),
});

/** True if the recorded process still runs. Outside Linux only its id is compared. */
export const stillRuns = (recorded: ProcessIdentity): boolean => {
  const { processStart, bootId } = identityOf(recorded.pid);
  return isAlive(recorded.pid) && processStart === recorded.processStart && bootId === recorded.bootId;
};

/** The namespace of the process ids that this process sees; outside Linux, the name of the host. */
export const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return hostname();
  }
};
