// Why an execution has not ended: which fact is shown if several hold it up, and how a place in the queue reads.
import { describe, expect, it } from 'vitest';
import { type Standing, waitReason } from '../../../daemon/domain/executions/wait-reason.ts';

const free: Standing = {
  trouble: undefined,
  isEngineKnown: true,
  isStarting: false,
  running: 0,
  most: 2,
  isFull: false,
  ahead: 0,
};
const ready = { status: 'READY', statusMessage: '' } as const;
const submitted = { status: 'SUBMITTED' } as const;
const disk = 'The disk of the daemon is full';

const reason = (
  { execution = submitted, actor = ready, disk: problem }: Partial<Parts>,
  standing: Partial<Standing> = {},
): string | undefined => waitReason(execution, actor, { disk: problem, standing: { ...free, ...standing } });

interface Parts {
  readonly execution: Parameters<typeof waitReason>[0];
  readonly actor: Parameters<typeof waitReason>[1];
  readonly disk: string;
}

describe('the place of a submitted execution reads', () => {
  it.each<[Partial<Standing>, string | undefined]>([
    [{}, undefined],
    [{ running: 1 }, undefined],
    [{ running: 2 }, 'All 2 workers of the actor are busy.'],
    [{ running: 1, most: 1 }, 'The worker of the actor is busy.'],
    [{ running: 1, most: 1, isStarting: true }, undefined],
    [{ running: 2, ahead: 1 }, 'All 2 workers of the actor are busy, and 1 message waits before this one.'],
    [{ running: 2, ahead: 99 }, 'All 2 workers of the actor are busy, and 99 messages wait before this one.'],
    [
      { running: 2, ahead: 100 },
      'All 2 workers of the actor are busy, and at least 100 messages wait before this one.',
    ],
    [{ ahead: 3 }, '3 messages wait before this one.'],
    [{ isFull: true }, 'The daemon runs as many executions as it may at the same time.'],
    [{ isEngineKnown: false, ahead: 3 }, 'The engine of the actor has not responded since the start of the daemon.'],
  ])('%j: %s', (standing, text) => {
    expect(reason({}, standing)).toBe(text);
  });
});

describe('what holds up an execution is, in this order', () => {
  const broken = { status: 'ERROR', statusMessage: 'no such image' } as const;
  const pulling = { status: 'SUBMITTED', statusMessage: 'pulling' } as const;
  it('the disk', () => {
    expect(reason({ actor: broken, disk })).toBe(`${disk}. The start waits until it accepts writes.`);
    expect(reason({ execution: { status: 'RUNNING' }, disk })).toBe(
      `${disk}. Recording the end waits until it accepts writes.`,
    );
  });
  it('an actor in ERROR', () => {
    expect(reason({ execution: { ...submitted, statusMessage: 'no room' }, actor: broken })).toBe(
      'The actor is in ERROR: no such image',
    );
  });
  it('what the execution itself waits for', () => {
    expect(reason({ execution: { ...submitted, statusMessage: 'no room' }, actor: pulling })).toBe('no room');
    expect(reason({ execution: { status: 'RUNNING', statusMessage: 'no room' } }, { trouble: 'gone' })).toBe('no room');
  });
  it('what the actor waits for', () => {
    expect(reason({ actor: pulling }, { running: 2 })).toBe('pulling');
    expect(reason({ actor: { ...pulling, statusMessage: '' } }, { running: 2 })).toBe('The actor is not ready yet.');
  });
  it('an engine that has lost a running execution', () => {
    expect(reason({ execution: { status: 'RUNNING' } }, { trouble: 'gone', running: 2 })).toBe('gone');
    expect(reason({ execution: { status: 'RUNNING' } }, { running: 2 })).toBeUndefined();
  });
});

it.each(['COMPLETE', 'ERROR', 'CANCELLED'] as const)('nothing holds up an execution that is %s', (status) => {
  const standing = { trouble: 'gone', ahead: 3 };
  expect(reason({ execution: { status }, actor: { ...ready, statusMessage: 'x' }, disk }, standing)).toBeUndefined();
});
