// The time that the ages of the dashboard are counted from.
import { afterEach, expect, it, vi } from 'vitest';
import {
  clockJumps,
  isVirtual,
  noteRunning,
  noteTime,
  serviceNow,
} from '../../../daemon/web/dashboard/api/service-time.ts';

const response = (headers: Record<string, string>) => ({ headers: new Headers(headers) });
const shown = (time: string) => noteTime(response({ 'x-virtual-clock': time }));

afterEach(() => void vi.useRealTimers());

it('the time of the service is that of this machine until a response shows a virtual clock', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 });
  noteTime(response({}));
  shown('soon');
  expect([serviceNow(), isVirtual.value]).toEqual([1_000, false]);
  vi.setSystemTime(2_000);
  expect(serviceNow()).toBe(2_000);
  shown('2030-01-01T00:00:00.000Z');
  noteTime(response({}));
  vi.advanceTimersByTime(5_000);
  expect([serviceNow(), isVirtual.value]).toEqual([Date.parse('2030-01-01T00:00:00Z'), true]);
});

it('a virtual clock that runs advances between two responses', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 });
  shown('2030-01-01T00:00:00.000Z');
  noteRunning(true);
  vi.advanceTimersByTime(5_000);
  expect(serviceNow()).toBe(Date.parse('2030-01-01T00:00:05Z'));
  noteRunning(false);
  expect(serviceNow()).toBe(Date.parse('2030-01-01T00:00:00Z'));
});

it('a time that the clock could not have reached is a jump, after which its state is read again', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 });
  shown('2030-01-01T00:00:00.000Z');
  const before = clockJumps.value;
  shown('2030-01-01T00:00:01.000Z');
  expect(clockJumps.value).toBe(before);
  shown('2030-01-01T01:00:00.000Z');
  expect(clockJumps.value).toBe(before + 1);
  shown('2030-01-01T01:00:00.000Z');
  expect(clockJumps.value).toBe(before + 1);
});
