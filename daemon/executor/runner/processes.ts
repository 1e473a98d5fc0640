// Finds, measures and kills all processes of a run, including those that have left its session. Needs /proc (Linux).
// Without it, only process groups are killed.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../read-field.ts';

/** The environment variable by which the processes of a run are found: every process of a run inherits it. */
export const RUN_VARIABLE = '_svc_execution_id';

export interface RunProcesses {
  readonly executionId: string;
  /** Session and process group of the run's first process. Absent once this number may belong to another process. */
  readonly session?: number | undefined;
  /**
   * Start times by pid, updated by `processesOf`, so that a known process is found even after it leaves the session.
   */
  readonly seen?: Map<number, string>;
  /** Only processes with a greater pid can belong to the run. Absent if any process can. */
  readonly after?: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Start time in ticks since boot. It distinguishes a process from a later one with the same pid. */
  readonly started: string;
}

/** The content of a /proc file, or '' if the process has ended or belongs to another user. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const processAt = (pid: string): Process | undefined => {
  const stat = read(`/proc/${pid}/stat`);
  // "pid (name) state ppid pgrp session …"; the name can contain parentheses, so fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const [state, parent, , session] = fields;
  const started = fields[19];
  if (parent === undefined || session === undefined || started === undefined || state === 'Z' || state === 'X') {
    return undefined;
  }
  return { pid: Number(pid), parent: Number(parent), session: Number(session), started };
};

/** Pids restart after the largest one, so a last pid below `after` means that any process is possible. */
const candidates = (runs: readonly RunProcesses[]): readonly string[] => {
  const after = Math.min(...runs.map((run) => run.after ?? 0));
  const last = Number(read('/proc/loadavg').trimEnd().split(' ').at(-1));
  if (last === after) return [];
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return last > after ? names.filter((name) => Number(name) > after) : names;
};

const variableOf = (pid: number): string | undefined => {
  const environment = `\0${read(`/proc/${pid}/environ`)}`;
  const at = environment.indexOf(`\0${RUN_VARIABLE}=`);
  if (at < 0) return undefined;
  const from = at + RUN_VARIABLE.length + 2;
  const end = environment.indexOf('\0', from);
  return environment.slice(from, end < 0 ? undefined : end);
};

/**
 * The live processes of each run, by execution id: the processes in its session, those with its variable, those found
 * before, and all their descendants. A process is missed only if it left the session, cleared its environment and lost
 * its parents before the first search.
 */
export const processesOf = (runs: readonly RunProcesses[]): Map<string, number[]> => {
  const found = new Map<string, number[]>(runs.map(({ executionId }) => [executionId, []]));
  const bySession = new Map(runs.map(({ session, executionId }) => [session, executionId]));
  bySession.delete(undefined);
  let names: readonly string[];
  try {
    names = candidates(runs);
  } catch {
    return found;
  }
  const before = (one: Process) => runs.find(({ seen }) => seen?.get(one.pid) === one.started)?.executionId;
  const started = new Map<number, string>();
  const owner = new Map<number, string>();
  let rest: Process[] = [];
  for (const name of names) {
    if (name === '1' || name === String(process.pid)) continue;
    const one = processAt(name);
    if (one === undefined) continue;
    started.set(one.pid, one.started);
    const executionId = bySession.get(one.session) ?? before(one) ?? variableOf(one.pid);
    if (executionId !== undefined && found.has(executionId)) owner.set(one.pid, executionId);
    else rest.push(one);
  }
  for (let grown = owner.size > 0; grown; ) {
    const orphans = rest.filter(({ pid, parent }) => {
      const executionId = owner.get(parent);
      if (executionId !== undefined) owner.set(pid, executionId);
      return executionId === undefined;
    });
    grown = orphans.length < rest.length;
    rest = orphans;
  }
  for (const [pid, executionId] of owner) found.get(executionId)?.push(pid);
  for (const { executionId, seen } of runs) {
    seen?.clear();
    for (const pid of found.get(executionId) ?? []) seen?.set(pid, started.get(pid) ?? '');
  }
  return found;
};

/** Bytes of private memory, without program files that processes share. `tasks` counts processes and threads. */
export const measure = (pids: readonly number[]): { memoryBytes: number; tasks: number } => {
  let memoryBytes = 0;
  let tasks = 0;
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`);
    for (const [, kilobytes] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) {
      memoryBytes += Number(kilobytes) * 1024;
    }
    tasks += Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return { memoryBytes, tasks };
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = errorCode(error);
    // The process has ended, or it runs as another user (EPERM, by setuid) and cannot be signalled.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
};

/** Signals the process group of the run's first process, in one step that no fork can escape. */
export const signalGroup = (group: number, signal: NodeJS.Signals): void => send(-group, signal);

/** Signals each process once, because many programs treat a second SIGTERM as an order to quit at once. */
export const signalAll = (run: RunProcesses, signal: NodeJS.Signals): void => {
  const pids = processesOf([run]).get(run.executionId) ?? [];
  for (const pid of pids) send(pid, signal);
  // Without /proc no process is found; then only the process group can be signalled.
  if (pids.length === 0 && run.session !== undefined) signalGroup(run.session, signal);
};

const ROUNDS = 200;

/** Kills all processes of these runs. Repeats until none is left, or gives up after about two seconds. */
export const killAll = async (runs: readonly RunProcesses[]): Promise<void> => {
  for (const { session } of runs) if (session !== undefined) signalGroup(session, 'SIGKILL');
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = [...processesOf(runs).values()].flat();
    if (pids.length === 0) return;
    for (const pid of pids) send(pid, 'SIGKILL');
    await sleep(10);
  }
};
