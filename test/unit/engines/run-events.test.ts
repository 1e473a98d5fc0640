// The events of one run: how they are parsed and received, and when they report a normal end.
import { describe, expect, it, vi } from 'vitest';
import { listenToRun, normalEndOf } from '../../../daemon/executor/docker/run-events.ts';
import type { ContainerListener } from '../../../daemon/executor/engine/connection.ts';
import { type ContainerEvent, parseEvent } from '../../../daemon/executor/engine/engine-events.ts';

const event = (change: ContainerEvent['change'], more: Partial<ContainerEvent> = {}): ContainerEvent => ({
  name: 'mine',
  change,
  at: 5,
  exitCode: undefined,
  ...more,
});

describe('a line of the event stream', () => {
  const line = (Action: string, more: object = {}, timeNano: unknown = Number('1795745920505999872')) =>
    JSON.stringify({ Action, Actor: { Attributes: { name: 'mine', ...more } }, timeNano });

  it('is read as a start, an end with its exit code, or a lack of memory', () => {
    const at = 1_795_745_920_505;
    expect(parseEvent(line('start'))).toEqual(event('start', { at }));
    expect(parseEvent(line('die', { exitCode: '137' }))).toEqual(event('die', { at, exitCode: 137 }));
    expect(parseEvent(line('oom'))).toEqual(event('oom', { at }));
  });

  it('is nothing else; an exit code is a number, and the time may be missing', () => {
    expect(parseEvent(line('die', {}, 'now'))).toEqual(event('die', { at: undefined }));
    for (const text of ['', '{', 'null', line('kill'), line('die', { name: 1 })])
      expect(parseEvent(text)).toBeUndefined();
    for (const exitCode of [0, '', '-1', '1e2', '1000'])
      expect(parseEvent(line('die', { exitCode }))?.exitCode).toBeUndefined();
  });
});

describe('the events of a run', () => {
  const listen = () => {
    const listeners = new Set<ContainerListener>();
    const closing = new AbortController();
    const onContainerEvent = (listener: ContainerListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const events = listenToRun({ onContainerEvent, closed: closing.signal }, 'mine');
    const emit = (emitted?: ContainerEvent) => {
      for (const listener of listeners) listener(emitted);
    };
    return { events, emit, listeners, closing };
  };

  it('are those with its name, each the first time', () => {
    const { events, emit, listeners } = listen();
    emit(event('start', { name: 'other' }));
    emit(event('start'));
    emit(event('start', { at: 6 }));
    emit(event('oom'));
    expect(events.seen).toEqual({ start: event('start'), die: undefined, oom: event('oom') });
    events.stop();
    expect(listeners.size).toBe(0);
  });

  it('end a wait, except a start', async () => {
    vi.useFakeTimers();
    try {
      const { events, emit, closing } = listen();
      let ended = 0;
      const wait = () => void events.wait(1_000).then(() => (ended += 1));
      wait();
      emit(event('start'));
      emit(event('die', { name: 'other' }));
      await vi.advanceTimersByTimeAsync(999);
      expect(ended).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(ended).toBe(1);
      for (const cause of [() => emit(event('die')), () => emit(), () => events.push(), () => closing.abort()]) {
        cause();
        const before = ended;
        wait();
        await vi.advanceTimersByTimeAsync(0);
        expect(ended).toBe(before + 1);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('report a normal end only if all of them were seen and the exit code is 0', () => {
    const [start, die] = [event('start', { at: 1_000 }), event('die', { at: 2_000, exitCode: 0 })];
    expect(normalEndOf({ start, die, oom: undefined })).toMatchObject({
      exitCode: 0,
      startedAt: 1_000,
      finishedAt: 2_000,
      outOfMemory: false,
      finalState: {
        Status: 'exited',
        ExitCode: 0,
        StartedAt: '1970-01-01T00:00:01.000Z',
        FinishedAt: '1970-01-01T00:00:02.000Z',
      },
    });
    expect(normalEndOf({ start, die: { ...die, at: 500 }, oom: undefined })?.finishedAt).toBe(1_000);
    for (const seen of [
      { start: undefined, die, oom: undefined },
      { start, die: undefined, oom: undefined },
      { start, die: { ...die, exitCode: 1 }, oom: undefined },
      { start: { ...start, at: undefined }, die, oom: undefined },
      { start, die: { ...die, at: undefined }, oom: undefined },
      // A label of the image with the name of the attribute.
      { start: { ...start, exitCode: 0 }, die, oom: undefined },
      { start, die: { ...die, exitCode: undefined }, oom: undefined },
      { start, die, oom: event('oom') },
    ])
      expect(normalEndOf(seen)).toBeUndefined();
  });
});
