// The time that the ages of the dashboard are counted from.
import { expect, it } from 'vitest';
import { noteTime, serviceNow } from '../../../daemon/web/dashboard/api/service-time.ts';

const response = (headers: Record<string, string>) => ({ headers: new Headers(headers) });

it('the time of the service is that of this machine until a response shows a virtual clock', () => {
  const before = Date.now();
  noteTime(response({}));
  noteTime(response({ 'x-virtual-clock': 'soon' }));
  expect(serviceNow()).toBeGreaterThanOrEqual(before);
  expect(serviceNow()).toBeLessThanOrEqual(Date.now());
  noteTime(response({ 'x-virtual-clock': '2030-01-01T00:00:00.000Z' }));
  noteTime(response({}));
  expect(serviceNow()).toBe(Date.parse('2030-01-01T00:00:00Z'));
});
