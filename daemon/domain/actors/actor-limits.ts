// Limits of an actor: parallel executions, memory, CPUs and run time.
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';

/**
 * Number of executions of an actor that may run at the same time. Stateful: 1. Stateless: the actor's `maxWorkers`, at
 * most `maxParallel` (the limit of the instance), at least 1. A larger number of workers that an admin requested
 * (`wantedWorkers`, stored) overrides both.
 */
export const capacityOf = (
  actor: Pick<ActorRecord, 'stateless' | 'maxWorkers' | 'wantedWorkers'>,
  maxParallel: number,
): number =>
  actor.stateless ? Math.max(1, Math.min(maxParallel, actor.maxWorkers ?? maxParallel), actor.wantedWorkers ?? 0) : 1;

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Value that means "no limit": larger than the memory of any machine. */
const BOUNDLESS = Number.MAX_SAFE_INTEGER;

/** Parses a memory limit in Docker's syntax (`512m`; `-1`: no limit) to bytes. Undefined for any other text. */
export const memoryBytesOf = (text: string): number | undefined => {
  if (text.trim() === '-1') return BOUNDLESS;
  const parts = /^\s*(\d+(?:\.\d+)?)\s*([bkmg]?)b?\s*$/i.exec(text);
  if (parts === null) return undefined;
  const bytes = Math.floor(Number(parts[1]) * (UNITS[(parts[2] ?? '').toLowerCase()] ?? 1));
  return bytes > 0 ? Math.min(bytes, BOUNDLESS) : undefined;
};

/** @param leastBytes smallest limit with which the engine can start a run of the image */
export const demandMemory = (memLimit: string | undefined, leastBytes: number): void => {
  const bytes = memLimit === undefined ? undefined : memoryBytesOf(memLimit);
  if (bytes === undefined || bytes >= leastBytes) return;
  throw new Failure(
    'VALIDATION',
    `memLimit must be at least ${Math.ceil(leastBytes / 1024 ** 2)}m, because the container engine starts no container with less. Write it with a unit, like 64m.`,
    { field: 'memLimit' },
  );
};

/** Limits of one run: the actor's own limits where set, otherwise those of the instance. @see docs/http-api.md#actors */
export const limitsOf = (
  actor: Pick<ActorRecord, 'memLimit' | 'maxCpus'>,
  instance: { readonly memoryBytes: number; readonly pids: number; readonly diskBytes: number },
): { readonly memoryBytes: number; readonly pids: number; readonly diskBytes: number; readonly nanoCpus?: number } => {
  const own = actor.memLimit === undefined ? undefined : memoryBytesOf(actor.memLimit);
  return {
    memoryBytes: own ?? instance.memoryBytes,
    pids: instance.pids,
    diskBytes: instance.diskBytes,
    ...(actor.maxCpus !== undefined && actor.maxCpus > 0 && { nanoCpus: actor.maxCpus }),
  };
};

/**
 * Maximum run time of one execution in ms. Undefined if there is no limit. The actor's own limit replaces `instanceMs`.
 */
export const runTimeLimitOf = (
  actor: Pick<ActorRecord, 'maxRunTime'>,
  instanceMs: number | undefined,
): number | undefined =>
  actor.maxRunTime !== undefined && actor.maxRunTime > 0 ? actor.maxRunTime * 1000 : instanceMs;

/** Maximum lifetime (ms) of the access token that an execution receives. */
const EXECUTION_TOKEN_MS = 4 * 60 * 60 * 1000;

/** Lifetime (ms) of the token of an execution: run time limit plus the time to stop, at most four hours. */
export const tokenLifeOf = (limitMs: number | undefined, stopGraceMs: number): number =>
  limitMs === undefined ? EXECUTION_TOKEN_MS : Math.min(EXECUTION_TOKEN_MS, limitMs + stopGraceMs);
