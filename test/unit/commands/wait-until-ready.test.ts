// A wait for an actor: it has patience for a restart of the daemon, and its error says which actor it was.
import { expect, it } from 'vitest';
import { waitUntilReady } from '../../../src/commands/actors/wait-until-ready.ts';
import { CliFailure } from '../../../src/failure.ts';

type Context = Parameters<typeof waitUntilReady>[0];

it.each(['CANCELLED', 'NETWORK'] as const)('the wait for an actor that fails with %s names the actor', async (code) => {
  const { signal } = new AbortController();
  const context = {
    retryingCall: (limits: unknown) => async () => {
      expect(limits).toEqual({ until: 1_000, signal });
      throw new CliFailure(code, 'interrupted', { hint: 'try again' });
    },
    now: () => 0,
    signal,
    output: { progress: async () => ({ update: () => undefined, stop: () => undefined }), note: () => undefined },
  } as unknown as Context;
  await expect(
    waitUntilReady(context, { id: 'A1', name: 'wc' } as never, { timeoutMs: 900, until: 1_000 }),
  ).rejects.toMatchObject({
    code,
    message: 'waited for actor wc (A1) to become READY, then: interrupted',
    extras: { hint: 'try again', details: { actorId: 'A1' } },
  });
});
