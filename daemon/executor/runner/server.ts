// The runner's side of a connection: accepts the daemon's requests and sends responses, output and ends.
import type { Socket } from 'node:net';
import { ExecutorError, type LogSink } from '../../ports/executor.ts';
import { type Answer, PROTOCOL, type Reply, type Request, readValues, writeValue } from './protocol.ts';
import type { FollowedRun, Runs } from './runs.ts';

/** Serves one connection until it closes. Runs continue without it. */
export const serve = (socket: Socket, runs: Runs, retire: () => void): void => {
  /** Followed runs by the request that started following, until the run has ended. */
  const followers = new Map<number, LogSink>();
  const send = (reply: Reply): void => {
    if (socket.writable) writeValue(socket, reply);
  };

  const follower = (id: number): LogSink => {
    const each: LogSink = (stream, data, leftOut) =>
      send({ id, stream, base64: Buffer.from(data).toString('base64'), ...(leftOut && { leftOut }) });
    followers.set(id, each);
    return each;
  };
  const forget = (id: number): void => {
    followers.delete(id);
  };
  const answer = async (request: Request): Promise<Answer & Partial<FollowedRun>> => {
    switch (request.op) {
      case 'create':
        runs.create(request.run);
        return {};
      case 'start':
        return await runs.start(request.ref, follower(request.id));
      case 'attach':
        return runs.follow(request.ref, follower(request.id));
      case 'stop':
        await runs.stop(request.ref, request.graceMs);
        return {};
      case 'remove':
        await runs.remove(request.ref);
        return {};
      case 'list':
        return { found: runs.list() };
      case 'retire':
        retire();
        return {};
    }
  };
  const take = async (request: Request): Promise<void> => {
    const { id } = request;
    try {
      const { ended, ...result } = await answer(request);
      send({ id, result });
      // All output so far is sent already, so the end is the last message. The promise never rejects.
      void ended?.then((end) => {
        send({ id, ended: end });
        forget(id);
      });
    } catch (error) {
      forget(id);
      // After any other error from `start`, it is unknown whether the run has started.
      const kind = error instanceof ExecutorError ? error.kind : request.op === 'start' ? 'unavailable' : 'start';
      send({ id, error: { kind, message: error instanceof Error ? error.message : String(error) } });
    }
  };

  readValues<Request>(socket, (request) => void take(request));
  socket.on('close', () => {
    for (const each of followers.values()) runs.unfollow(each);
  });
  send({ hello: { protocol: PROTOCOL, pid: process.pid } });
};
