// A limit lets some calls run, some wait in order, and refuses the rest.
import { expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../daemon/domain/search/concurrency-limit.ts';

const full = () => new Error('full');

it('with a limit of two calls, two wait in order of arrival and the fifth is refused', async () => {
  const limit = createConcurrencyLimit(2, 2, full);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const call = (name: string) =>
    limit(() => {
      started.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const calls = ['a', 'b', 'c', 'd'].map(call);
  await expect(call('e')).rejects.toThrow('full');
  expect(started).toEqual(['a', 'b']);
  ends[1]?.();
  expect(await calls[1]).toBe('b');
  expect(started).toEqual(['a', 'b', 'c']);
  ends[0]?.();
  ends[2]?.();
  expect(await Promise.all([calls[0], calls[2]])).toEqual(['a', 'c']);
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  ends[3]?.();
  expect(await calls[3]).toBe('d');
});

it('the slot of a failed call is released', async () => {
  const limit = createConcurrencyLimit(1, 0, full);
  await expect(limit(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await limit(async () => 1)).toBe(1);
  expect(await limit(async () => 2)).toBe(2);
});

it('a call that takes over a slot does not raise the limit', async () => {
  const limit = createConcurrencyLimit(1, 1, full);
  const ends: (() => void)[] = [];
  const call = () => limit(() => new Promise<void>((resolve) => ends.push(resolve)));
  const calls = [call(), call()];
  ends[0]?.();
  await calls[0];
  const third = call();
  await expect(call()).rejects.toThrow('full');
  ends[1]?.();
  await calls[1];
  ends[2]?.();
  await third;
});
