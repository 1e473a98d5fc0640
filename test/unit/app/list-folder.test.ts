// The limits of a listing of folders, for file systems that do not respond.
import { expect, it } from 'vitest';
import { createLimit } from '../../../daemon/app/list-folder.ts';

/** A listing whose file system responds when the test says so. */
const pendingListing = () => {
  let respond = (_error?: Error): void => undefined;
  const listing = new Promise<void>((resolve, reject) => {
    respond = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { listing, respond: (error?: Error) => respond(error) };
};

const expired = () => AbortSignal.abort();
const endless = () => new AbortController().signal;

it('a listing without a response is refused at its deadline, and a third one before it begins', async () => {
  const limited = createLimit(expired);
  const first = pendingListing();
  const words = 'its file system, or that of a folder in it, does not respond';
  await expect(limited('/mnt/a', () => first.listing)).rejects.toThrow(`cannot list /mnt/a: ${words}`);
  await expect(limited('/mnt/b', () => new Promise(() => undefined))).rejects.toThrow(words);
  let began = 0;
  const third = () => {
    began += 1;
    return new Promise(() => undefined);
  };
  await expect(limited('/home', third)).rejects.toThrow('cannot list /home: earlier requests still wait');
  expect(began).toBe(0);
  // The first file system is back.
  first.respond();
  await first.listing;
  await expect(limited('/home', third)).rejects.toThrow(words);
  expect(began).toBe(1);
});

it('a listing begins when the one before has ended, also with an error', async () => {
  const limited = createLimit(endless);
  const first = pendingListing();
  const order: string[] = [];
  const one = limited('/a', () => {
    order.push('one');
    return first.listing;
  });
  const two = limited('/b', async () => {
    order.push('two');
    return 'b';
  });
  await Promise.resolve();
  first.respond(new Error('gone'));
  order.push('end of one');
  await expect(one).rejects.toThrow('gone');
  expect([await two, order]).toEqual(['b', ['one', 'end of one', 'two']]);
});
