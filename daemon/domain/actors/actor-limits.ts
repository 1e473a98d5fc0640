// How much of the machine an actor may have: workers side by side, memory, cores, time.
import type { ActorRecord } from '../records/actor-records.ts';

/**
 * How many executions of an actor may run side by side, at least one. `maxParallel` is the bound of the instance; an admin who
 * wants more workers of a stateless actor goes past it.
 */
export const capacityOf = (
  actor: Pick<ActorRecord, 'stateless' | 'maxWorkers' | 'wantedWorkers'>,
  maxParallel: number,
): number =>
  actor.stateless ? Math.max(1, Math.min(maxParallel, actor.maxWorkers ?? maxParallel), actor.wantedWorkers ?? 0) : 1;

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** No limit, said as a number that no machine has. */
const BOUNDLESS = Number.MAX_SAFE_INTEGER;

/** Bytes of a limit in Docker's syntax (`512m`, `1g`, `-1` = none); undefined when it is no such text. */
export const memoryBytesOf = (text: string): number | undefined => {
  if (text.trim() === '-1') return BOUNDLESS;
  const parts = /^\s*(\d+(?:\.\d+)?)\s*([bkmg]?)b?\s*$/i.exec(text);
  if (parts === null) return undefined;
  const bytes = Math.floor(Number(parts[1]) * (UNITS[(parts[2] ?? '').toLowerCase()] ?? 1));
  return bytes > 0 ? Math.min(bytes, BOUNDLESS) : undefined;
};

/** The limits of one run of an actor: its own where it has them, else those of the instance. @see facts 1.1 */
export const limitsOf = (
  actor: Pick<ActorRecord, 'memLimit' | 'maxCpus'>,
  instance: { readonly memoryBytes: number; readonly pids: number },
): { readonly memoryBytes: number; readonly pids: number; readonly nanoCpus?: number } => {
  const own = actor.memLimit === undefined ? undefined : memoryBytesOf(actor.memLimit);
  return {
    memoryBytes: own ?? instance.memoryBytes,
    pids: instance.pids,
    ...(actor.maxCpus !== undefined && actor.maxCpus > 0 && { nanoCpus: actor.maxCpus }),
  };
};

/** How long one execution of an actor may run, in ms; undefined when there is no limit. */
export const runTimeLimitOf = (
  actor: Pick<ActorRecord, 'maxRunTime'>,
  instanceMs: number | undefined,
): number | undefined =>
  actor.maxRunTime !== undefined && actor.maxRunTime > 0 ? actor.maxRunTime * 1000 : instanceMs;

/** Longest life of the token that an execution is given, in ms. */
const EXECUTION_TOKEN_MS = 4 * 60 * 60 * 1000;

/** Life of the token of an execution that may run for `limitMs`, with its time to stop; never above four hours. */
export const tokenLifeOf = (limitMs: number | undefined, stopGraceMs: number): number =>
  limitMs === undefined ? EXECUTION_TOKEN_MS : Math.min(EXECUTION_TOKEN_MS, limitMs + stopGraceMs);
