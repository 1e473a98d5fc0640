// The events of one run: how they are parsed and received, and when its end counts as watched.
import { describe, expect, it, vi } from 'vitest';
import { listenToRun } from '../../../daemon/executor/docker/run-events.ts';
import type { ContainerListener } from '../../../daemon/executor/engine/engine-events.ts';
import { type ContainerEvent, parseEvent } from '../../../daemon/executor/engine/engine-events.ts';

const event = (change: ContainerEvent['change'], name = 'mine'): ContainerEvent => ({ name, change });

it('a line of the event stream is read as an end, a signal or a lack of memory, and as nothing else', () => {
  const line = (Action: string, name: unknown = 'mine') => JSON.stringify({ Action, Actor: { Attributes: { name } } });
  for (const change of ['die', 'kill', 'oom'] as const) expect(parseEvent(line(change))).toEqual(event(change));
  for (const text of ['', '{', 'null', line('start'), line('die', 1)]) expect(parseEvent(text)).toBeUndefined();
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

  it('are those with its name', () => {
    const { events, emit, listeners } = listen();
    emit(event('kill', 'other'));
    expect(events.seen).toEqual({ die: false, oom: false, kill: false });
    for (const change of ['oom', 'kill', 'die'] as const) emit(event(change));
    expect(events.seen).toEqual({ die: true, oom: true, kill: true });
    events.stop();
    expect(listeners.size).toBe(0);
  });

  it('do not contain an end before which one may have been missed, unless the run was seen running since', () => {
    const { events, emit } = listen();
    emit();
    expect(events.hasGap()).toBe(true);
    emit(event('die'));
    expect(events.seen.die).toBe(false);
    const before = events.gapCount();
    emit();
    // The inspection began before the second gap.
    events.bridge(before);
    emit(event('die'));
    expect([events.seen.die, events.hasGap()]).toEqual([false, true]);
    events.bridge(events.gapCount());
    emit(event('die'));
    emit();
    expect(events.seen.die).toBe(true);
  });

  it('resolve a wait', async () => {
    vi.useFakeTimers();
    try {
      const { events, emit, closing } = listen();
      let ended = 0;
      const wait = () => void events.wait(1_000).then(() => (ended += 1));
      wait();
      emit(event('die', 'other'));
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
});
