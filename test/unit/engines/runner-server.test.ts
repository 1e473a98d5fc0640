// The runner's side of a connection: what it keeps of the runs that the daemon follows.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { Runs } from '../../../daemon/executor/runner/runs.ts';
import { serve } from '../../../daemon/executor/runner/server.ts';

it('the runner drops the followers of a run when it ends, and all others when the connection closes', async () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const unfollow = vi.fn();
  const ends = [Promise.resolve({}), new Promise(() => undefined)];
  const start = async () => ({ startedAt: 1, ended: ends.shift() });
  serve(socket as unknown as Socket, { start, unfollow } as unknown as Runs, () => undefined);
  for (const id of [1, 2]) socket.push(`${JSON.stringify({ id, op: 'start', ref: `r${id}` })}\n`);
  await expect.poll(() => ends).toEqual([]);
  await new Promise(setImmediate);
  socket.destroy();
  await expect.poll(() => unfollow).toHaveBeenCalledTimes(1);
});
