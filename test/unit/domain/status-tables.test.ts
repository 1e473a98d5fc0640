// The state machines of executions, actors and workers, as tables.
import { describe, expect, it } from 'vitest';
import {
  type ActorStep,
  nextActorStatus,
  START_FAILURE_LIMIT,
  startFailed,
} from '../../../daemon/domain/actors/actor-status.ts';
import {
  claimed,
  type ExecutionStep,
  finalStatuses,
  finished,
  givenBack,
  isFinal,
  nextExecutionStatus,
  type Outcome,
} from '../../../daemon/domain/executions/execution-status.ts';
import { runtimeMs } from '../../../daemon/domain/executions/execution-totals.ts';
import {
  nextWorkerStatus,
  stepWorker,
  type WorkerStatus,
  type WorkerStep,
} from '../../../daemon/domain/executions/worker-status.ts';
import type {
  ActorRecord,
  ExecutionRecord,
  ExecutionStatus,
  WorkerRecord,
} from '../../../daemon/domain/records/actor-records.ts';

const execution: ExecutionRecord = {
  id: 'e1',
  actorId: 'a1',
  tenant: 'DEV',
  sequence: 1,
  executor: 'ana',
  status: 'SUBMITTED',
  receivedAt: 1,
};
const running: ExecutionRecord = { ...execution, status: 'RUNNING', workerId: 'w1', runRef: 'r1', startedAt: 4 };

describe('an execution', () => {
  const steps: ExecutionStep[] = ['claim', 'giveBack', 'end', 'fail', 'refuse', 'cancel'];
  const legal: Readonly<Record<ExecutionStatus, Readonly<Partial<Record<ExecutionStep, ExecutionStatus>>>>> = {
    SUBMITTED: { claim: 'RUNNING', refuse: 'ERROR', cancel: 'CANCELLED' },
    RUNNING: { giveBack: 'SUBMITTED', end: 'COMPLETE', fail: 'ERROR', refuse: 'ERROR' },
    COMPLETE: {},
    ERROR: {},
    CANCELLED: {},
  };
  const cases = (Object.keys(legal) as ExecutionStatus[]).flatMap((from) =>
    steps.map((step) => ({ from, step, to: legal[from][step] ?? null })),
  );
  it.each(cases)('goes from $from by $step to $to', ({ from, step, to }) => {
    expect(nextExecutionStatus(from, step)).toBe(to);
  });

  it('has its times on a virtual clock, and the run time of the machine', () => {
    const claim = claimed(execution, { workerId: 'w1', runRef: 'r1', at: 4, isVirtual: true });
    expect(claim).toEqual({ ...running, ranMs: 0 });
    const outcome = {
      kind: 'ended',
      exitCode: 0,
      startedAt: 7_000,
      finishedAt: 9_500,
      outOfMemory: false,
      finalState: {},
    };
    const ended = claim && finished(claim, { ...outcome, virtualEnd: 900 } as Outcome);
    expect(ended).toMatchObject({ startedAt: 4, finishedAt: 900, ranMs: 2_500 });
    expect([claim, ended].map((record) => record && runtimeMs(record, 3_600_000))).toEqual([0, 2_500]);
    expect(claim && givenBack(claim)).toEqual(execution);
    expect(claim && finished(claim, { kind: 'lost', at: 5, message: 'gone' })).not.toHaveProperty('ranMs');
  });

  it('is final in COMPLETE, ERROR and CANCELLED', () => {
    const statuses = Object.keys(legal) as ExecutionStatus[];
    expect(statuses.filter(isFinal)).toEqual(['COMPLETE', 'ERROR', 'CANCELLED']);
    expect(finalStatuses).toEqual(['COMPLETE', 'ERROR', 'CANCELLED']);
  });

  it('can be claimed once, starts with its claim, and is unchanged after it was released', () => {
    expect(claimed(execution, { workerId: 'w1', runRef: 'r1', at: 4 })).toEqual(running);
    expect(claimed(running, { workerId: 'w2', runRef: 'r2', at: 5 })).toBeNull();
    expect(givenBack(running)).toEqual(execution);
    expect(givenBack(execution)).toBeNull();
  });

  const ended = {
    kind: 'ended',
    exitCode: 0,
    startedAt: 5,
    finishedAt: 9,
    outOfMemory: false,
    finalState: {},
  } as const;
  const ends: [string, ExecutionRecord, Outcome, Partial<ExecutionRecord>][] = [
    ['an exit', running, { ...ended, exitCode: 3 }, { status: 'COMPLETE', reason: 'exited', exitCode: 3 }],
    ['a halt', { ...running, stopping: 'halted' }, ended, { status: 'COMPLETE', reason: 'halted' }],
    ['a time limit', { ...running, stopping: 'timed_out' }, ended, { status: 'COMPLETE', reason: 'timed_out' }],
    ['exceeded memory', running, { ...ended, outOfMemory: true }, { status: 'COMPLETE', reason: 'out_of_memory' }],
    ['exceeded disk', running, { ...ended, outOfDisk: true }, { status: 'COMPLETE', reason: 'out_of_disk' }],
    [
      'a time limit while the disk was exceeded',
      { ...running, stopping: 'timed_out' },
      { ...ended, outOfDisk: true },
      { status: 'COMPLETE', reason: 'timed_out' },
    ],
    [
      'a halt while memory was exceeded',
      { ...running, stopping: 'halted' },
      { ...ended, outOfMemory: true },
      { status: 'COMPLETE', reason: 'halted' },
    ],
    ['an engine that died', running, { ...ended, interrupted: 'gone' }, { status: 'ERROR', statusMessage: 'gone' }],
    ['a lost run', running, { kind: 'lost', at: 7, message: 'lost' }, { status: 'ERROR', finishedAt: 7 }],
    ['a refused start', running, { kind: 'refused', at: 7, message: 'big' }, { status: 'ERROR', statusMessage: 'big' }],
    ['a refused message', execution, { kind: 'refused', at: 7, message: 'big' }, { status: 'ERROR', finishedAt: 7 }],
    [
      'a halt before the start',
      { ...running, stopping: 'halted' },
      { kind: 'neverStarted', at: 7 },
      { status: 'COMPLETE', reason: 'halted', finishedAt: 7 },
    ],
  ];
  it.each(ends)('ends by %s', (_name, record, outcome, expected) => {
    const final = finished(record, outcome);
    expect(final).toMatchObject(expected);
    expect(final).not.toHaveProperty('runRef');
    expect(final).not.toHaveProperty('stopping');
    expect(final !== null && finished(final, outcome)).toBeNull();
  });

  it('has the start time of its executor after its end, and none if its run is unknown or never started', () => {
    expect(finished(running, ended)).toMatchObject({ startedAt: 5, finishedAt: 9 });
    expect(finished(running, { kind: 'lost', at: 7, message: 'lost' })).not.toHaveProperty('startedAt');
    expect(finished(running, { kind: 'neverStarted', at: 7 })).not.toHaveProperty('startedAt');
  });

  it('has resource figures only if the engine reports them', () => {
    expect(finished(running, ended)).not.toHaveProperty('cpuNs');
    expect(finished(running, ended)).not.toHaveProperty('ioBytes');
    expect(finished(running, { ...ended, cpuNs: 5, ioBytes: 0 })).toMatchObject({ cpuNs: 5, ioBytes: 0 });
  });
});

describe('an actor', () => {
  const cases: [ActorRecord['status'], ActorStep, ActorRecord['status'] | null][] = [
    ['SUBMITTED', 'prepared', 'READY'],
    ['SUBMITTED', 'unprepared', null],
    ['SUBMITTED', 'fail', 'ERROR'],
    ['SUBMITTED', 'revise', 'SUBMITTED'],
    ['SUBMITTED', 'retire', 'SHUTTING_DOWN'],
    ['READY', 'prepared', 'READY'],
    ['READY', 'unprepared', 'SUBMITTED'],
    ['READY', 'fail', 'ERROR'],
    ['READY', 'revise', 'SUBMITTED'],
    ['READY', 'retire', 'SHUTTING_DOWN'],
    ['ERROR', 'prepared', null],
    ['ERROR', 'fail', null],
    ['ERROR', 'revise', 'SUBMITTED'],
    ['ERROR', 'retire', 'SHUTTING_DOWN'],
    ['SHUTTING_DOWN', 'prepared', null],
    ['SHUTTING_DOWN', 'fail', null],
    ['SHUTTING_DOWN', 'revise', null],
    ['SHUTTING_DOWN', 'retire', null],
  ];
  it.each(cases)('goes from %s by %s to %s', (from, step, to) => {
    expect(nextActorStatus(from, step)).toBe(to);
  });

  const actor = { status: 'READY', image: 'hello', startFailures: 0, statusMessage: '' } as ActorRecord;
  it('is in ERROR after the sixth failed start in a row, and its message says so', () => {
    let now = actor;
    for (let count = 1; count < START_FAILURE_LIMIT; count += 1) {
      now = startFailed(now, 'exec format error', 5000) ?? now;
      expect(now).toMatchObject({ status: 'READY', startFailures: count });
      expect(now.statusMessage).toContain('5 s');
    }
    now = startFailed(now, 'exec format error', 5000) ?? now;
    expect(now).toMatchObject({ status: 'ERROR', startFailures: 6 });
    expect(now.statusMessage).toContain('exec format error');
    expect(startFailed(now, 'again', 5000)).toBeNull();
  });

  it('that can never start is in ERROR after the first failed start', () => {
    const now = startFailed(actor, 'it is not executable: chmod +x main.sh.', undefined);
    expect(now).toMatchObject({ status: 'ERROR', startFailures: 1 });
    expect(now?.statusMessage).toBe(
      'The container cannot start: it is not executable: chmod +x main.sh. Messages wait in the mailbox. Update the actor to try again.',
    );
    expect(now && startFailed(now, 'again', undefined)).toBeNull();
  });

  it('that runs as a process is called so in the message of a failed start', () => {
    const folder = { ...actor, image: 'file:///f' };
    expect(startFailed(folder, 'no memory', 5000)?.statusMessage).toMatch(
      /^The process failed to start \(1 of 6; .*no memory$/,
    );
    expect(startFailed({ ...folder, startFailures: 5 }, 'no memory.', 5000)?.statusMessage).toMatch(
      /^The process failed to start 6 times in a row: no memory\. Messages/,
    );
    expect(startFailed(folder, 'gone', undefined)?.statusMessage).toMatch(/^The process cannot start: gone\. Messages/);
  });

  it('that is being deleted or in ERROR does not count failed starts', () => {
    expect(startFailed({ ...actor, status: 'ERROR' }, 'late', 5000)).toBeNull();
    expect(startFailed({ ...actor, status: 'ERROR', startFailures: 5 }, 'late', 5000)).toBeNull();
    expect(startFailed({ ...actor, status: 'SHUTTING_DOWN' }, 'late', 5000)).toBeNull();
  });
});

describe('a worker', () => {
  const cases: [WorkerStatus, WorkerStep, WorkerStatus | null][] = [
    ['REQUESTED', 'pull', 'PULLING IMAGE'],
    ['REQUESTED', 'take', null],
    ['PULLING IMAGE', 'ready', 'READY'],
    ['PULLING IMAGE', 'take', null],
    ['CREATING CONTAINER', 'ready', null],
    ['READY', 'take', 'BUSY'],
    ['READY', 'free', null],
    ['READY', 'stop', 'SHUTDOWN_REQUESTED'],
    ['BUSY', 'take', null],
    ['BUSY', 'free', 'READY'],
    ['BUSY', 'stop', 'SHUTDOWN_REQUESTED'],
    ['SHUTDOWN_REQUESTED', 'free', null],
    ['SHUTDOWN_REQUESTED', 'take', null],
    ['ERROR', 'ready', null],
  ];
  it.each(cases)('goes from %s by %s to %s', (from, step, to) => {
    expect(nextWorkerStatus(from, step)).toBe(to);
    const worker = { id: 'w', status: from } as WorkerRecord;
    expect(stepWorker(worker, step)).toEqual(to === null ? null : { id: 'w', status: to });
  });
});
