// The time that the ages of the dashboard are counted from.
import { afterEach, expect, it, vi } from 'vitest';
import { noteTime, serviceNow } from '../../../daemon/web/dashboard/api/service-time.ts';

const response = (headers: Record<string, string>) => ({ headers: new Headers(headers) });

afterEach(() => void vi.useRealTimers());

it('the time of the service is that of this machine until a response shows a virtual clock', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
  noteTime(response({}));
  noteTime(response({ 'x-virtual-clock': 'soon' }));
  expect(serviceNow()).toBe(1_000);
  vi.setSystemTime(2_000);
  expect(serviceNow()).toBe(2_000);
  noteTime(response({ 'x-virtual-clock': '2030-01-01T00:00:00.000Z' }));
  noteTime(response({}));
  expect(serviceNow()).toBe(Date.parse('2030-01-01T00:00:00Z'));
});
