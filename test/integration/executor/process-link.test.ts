// What the executor of `file:` actors asks its runner, and when it waits: against a runner of the test.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
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
/** Responds to the pending requests. */
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
    writeValue(socket, { hello: { protocol: PROTOCOL, pid: process.pid } });
    readValues<Request>(socket, (request) => asked.push(request));
  }).listen(join(home, 'runner.sock'));
  await once(server, 'listening');
  answer = (reply) => {
    for (const value of asked.flatMap(reply)) if (daemon !== undefined) writeValue(daemon, value);
  };
  dieOnce = async () => {
    const closed = daemon && once(daemon, 'close');
    daemon?.destroy();
    await closed;
    // The other end is in this process: it sees the end in the next turns of the event loop.
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
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
/** Creates a run that the runner has taken. */
const created = async () => {
  const creating = create();
  await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create']);
  answer(({ id }) => [{ id, result: {} }]);
  return creating;
};

describe('the executor of file: actors', () => {
  it('creates a run only after the runner has stored it, so a killed daemon loses no claimed run', async () => {
    let isCreated = false;
    const creating = create().then((ref) => {
      isCreated = true;
      return ref;
    });
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create']);
    expect(isCreated).toBe(false);
    answer(({ id }) => [{ id, result: {} }]);
    const started = executor.start(await creating, collect().sink);
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create', 'start']);
    answer(({ id, op }) =>
      op === 'start'
        ? [
            { id, result: { startedAt: 1 } },
            { id, ended: ENDED },
          ]
        : [],
    );
    expect(await (await started).ended).toEqual(ENDED);
  });

  it('creates no run that the runner refuses', async () => {
    const creating = create();
    creating.catch(quiet);
    await expect.poll(() => asked.length).toBe(1);
    answer(({ id }) => [{ id, error: { kind: 'start', message: 'It exists.' } }]);
    await expect(creating).rejects.toMatchObject({ kind: 'start', message: 'It exists.' });
  });

  it('creates no run if the runner dies before it responds', async () => {
    const creating = create();
    creating.catch(quiet);
    await expect.poll(() => asked.length).toBe(1);
    await dieOnce();
    await expect(creating).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is certain that a run has not started if its runner died before the order to start', async () => {
    const ref = await created();
    await dieOnce();
    const started = executor.start(ref, collect().sink);
    started.catch(quiet);
    await expect.poll(() => asked.map(({ op }) => op)).toEqual(['create', 'start']);
    answer(({ id, op }) => (op === 'start' ? [{ id, error: { kind: 'lost', message: 'Unknown.' } }] : []));
    await expect(started).rejects.toMatchObject({ kind: 'start', message: 'The run was not started: Unknown.' });
  });

  it('does not know whether a run has started if its runner died after the order to start', async () => {
    const ref = await created();
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

  it('reports a moved Node, unless a runner that can start processes runs already', async () => {
    const node = process.execPath;
    tidy.push(() => {
      process.execPath = node;
    });
    process.execPath = join(home, 'old', 'node');
    expect(await executor.probe(never)).toMatchObject({ available: true });
    rmSync(join(home, 'runner.sock'));
    await dieOnce();
    expect(await executor.probe(never)).toEqual({
      available: false,
      reason: `${process.execPath} no longer exists: restart the daemon (actorctl daemon restart)`,
    });
  });
});
