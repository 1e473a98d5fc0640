// What the executor of `file:` actors asks its runner, and when it waits: against a runner of the test.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcessExecutor } from '../../../daemon/executor/process/process-executor.ts';
import {
  PROTOCOL,
  type Reply,
  type Request,
  readValues,
  writeValue,
} from '../../../daemon/executor/runner/protocol.ts';
import type { Executor } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';

const never = new AbortController().signal;
const quiet = () => undefined;
const ENDED = { exitCode: 0, startedAt: 1, finishedAt: 2, outOfMemory: false, finalState: {} };

let home: string;
let executor: Executor;
let asked: Request[];
/** Closes the connection, as a runner that dies does. The next connection is to another runner. */
let dieOnce: () => Promise<void>;
/** Answers the requests that were asked so far. */
let answer: (reply: (request: Request) => readonly Reply[]) => void;
const tidy: (() => unknown)[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'actorctl-link-'));
  mkdirSync(join(home, 'actor'));
  writeFileSync(join(home, 'actor', 'actor.json'), '{"command":["true"]}');
  asked = [];
  let daemon: Socket | undefined;
  const server = createServer((socket) => {
    daemon = socket;
    void writeValue(socket, { hello: { protocol: PROTOCOL, pid: process.pid } });
    readValues<Request>(socket, (request) => asked.push(request));
  }).listen(join(home, 'runner.sock'));
  await once(server, 'listening');
  answer = (reply) => {
    for (const value of asked.flatMap(reply)) if (daemon !== undefined) void writeValue(daemon, value);
  };
  dieOnce = async () => {
    const closed = daemon && once(daemon, 'close');
    daemon?.destroy();
    await closed;
  };
  executor = createProcessExecutor({
    runsFolder: join(home, 'runs'),
    runnerPath: '/nowhere/actor-runner.cjs',
    socketPath: join(home, 'runner.sock'),
    apiServer: () => undefined,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  tidy.push(
    () => rmSync(home, { recursive: true, force: true }),
    () => server.close(),
    () => executor.close({ removeAll: false }),
  );
});

afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
});

const create = () => executor.create(runSpec(`file://${home}/actor`, {}), never);

describe('the executor of file: actors', () => {
  it('waits for one answer of the runner until a run has started: creation and start are sent without a wait', async () => {
    const ref = await create();
    const started = executor.start(ref, collect().sink);
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create', 'start']);
    answer(({ id, op }) =>
      op === 'create'
        ? [{ id, result: {} }]
        : [
            { id, result: { startedAt: 1 } },
            { id, ended: ENDED },
          ],
    );
    expect(await (await started).ended).toEqual(ENDED);
  });

  it('reports at the start that the runner refused the creation', async () => {
    const ref = await create();
    const started = executor.start(ref, collect().sink);
    started.catch(quiet);
    await expect.poll(() => asked.length).toBe(2);
    answer(({ id, op }) => [
      { id, error: op === 'create' ? { kind: 'start', message: 'It exists.' } : { kind: 'lost', message: 'Unknown.' } },
    ]);
    await expect(started).rejects.toMatchObject({ kind: 'start', message: expect.stringContaining('It exists.') });
  });

  it('is certain that a run has not started if its runner died before the order to start', async () => {
    const ref = await create();
    await expect.poll(() => asked.length).toBe(1);
    await dieOnce();
    const started = executor.start(ref, collect().sink);
    started.catch(quiet);
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create', 'start']);
    answer(({ id, op }) => (op === 'start' ? [{ id, error: { kind: 'lost', message: 'Unknown.' } }] : []));
    await expect(started).rejects.toMatchObject({ kind: 'start', message: expect.stringContaining('went away') });
  });

  it('does not know whether a run has started if its runner died after the order to start', async () => {
    const ref = await create();
    const started = executor.start(ref, collect().sink);
    started.catch(quiet);
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create', 'start']);
    await dieOnce();
    await expect(started).rejects.toMatchObject({ kind: 'unavailable' });
    // The second order is not the first one: the run may have started under the dead runner.
    const again = executor.start(ref, collect().sink);
    again.catch(quiet);
    await expect.poll(() => asked.length).toBe(3);
    answer(({ id }) => (id === asked[2]?.id ? [{ id, error: { kind: 'lost', message: 'Unknown.' } }] : []));
    await expect(again).rejects.toMatchObject({ kind: 'lost' });
  });
});
