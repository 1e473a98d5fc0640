// The input of an execution, its record and its end, with a real store and an engine in memory.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { outOfMemory } from '../../support/engine/fake-world.ts';
import {
  build,
  closeHarnesses,
  gated,
  harness,
  startError,
  statusOf,
  workersOf,
} from '../../support/engine/scheduler-fixture.ts';
import { stateRecord } from '../../support/service/records.ts';

closeHarnesses();

describe('executions', () => {
  it('record log, exit code, times and worker, and leave no container', async () => {
    await build();
    const actor = await harness.actor({ image: 'failing' });
    const id = await harness.send(actor);
    const execution = await harness.final(id);
    expect(execution).toMatchObject({ status: 'COMPLETE', reason: 'exited', exitCode: 3, finalState: { ExitCode: 3 } });
    expect(execution.startedAt).toBeGreaterThanOrEqual(execution.receivedAt - 1000);
    expect(execution.finishedAt).toBeGreaterThanOrEqual(execution.startedAt ?? Number.NaN);
    expect(execution).not.toHaveProperty('runRef');
    expect(await harness.logs.read(id)).toBe('failing\n');
    expect(statusOf(actor)).toBe('READY');
    await harness.until(() => harness.world.runs.size === 0);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY', lastExecutionAt: execution.finishedAt }]);
  });

  it('have a start time as soon as they are claimed', async () => {
    await build();
    const gate = gated();
    const id = await harness.send(await harness.actor({ image: 'gated' }), 'one');
    await harness.until(() => gate.running().includes('one'));
    const running = harness.store.get('executions', id);
    expect(running).toMatchObject({ status: 'RUNNING', startedAt: expect.any(Number) });
    expect(running?.startedAt).toBeGreaterThanOrEqual(running?.receivedAt ?? Number.NaN);
    await gate.let('one');
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', startedAt: expect.any(Number) });
  });

  it('are final only when the results of their run are stored', async () => {
    await build();
    let store = (): void => undefined;
    harness.world.settled = new Promise((resolve) => {
      store = resolve;
    });
    const id = await harness.send(await harness.actor({ image: 'failing' }));
    await harness.until(() => [...harness.world.runs.values()].some(({ state }) => state === 'ended'));
    await sleep(50);
    expect(harness.execution(id)?.status).toBe('RUNNING');
    store();
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', exitCode: 3 });
  });

  it('keep their log, and end under the next daemon, if the daemon stops before their results are stored', async () => {
    await build();
    harness.world.settled = new Promise(() => undefined);
    const id = await harness.send(await harness.actor({ image: 'failing' }));
    await harness.until(() => [...harness.world.runs.values()].some(({ state }) => state === 'ended'));
    expect(await harness.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
    expect([harness.execution(id)?.status, await harness.logs.read(id)]).toEqual(['RUNNING', 'failing\n']);
    harness.world.settled = undefined;
    await harness.restart();
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', exitCode: 3 });
    expect(harness.world.starts).toEqual([id]);
  });

  it('have the name of their cluster node while they run and after they have ended', async () => {
    await build();
    harness.world.node = 'worker2';
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', placement: ['node.labels.gpu==true'] });
    const id = await harness.send(actor, 'one');
    await harness.until(() => harness.store.get('executions', id)?.node === 'worker2');
    expect(harness.store.get('executions', id)?.status).toBe('RUNNING');
    expect([...harness.world.runs.values()][0]?.spec.placement).toEqual(['node.labels.gpu==true']);
    await gate.let('one');
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', node: 'worker2' });
  });

  it('get message, state and context in their environment, and no variables of the daemon', async () => {
    await build();
    let seen: Readonly<Record<string, string>> = {};
    harness.world.images.set('spy', async ({ environment }) => {
      seen = environment;
      return 0;
    });
    const actor = await harness.actor({ image: 'spy', name: 'spy', environment: { A: '1', B: '1' } });
    const states = ['{}', '{"n":1}'].map((text, n) => stateRecord(actor, n + 1, { text }));
    await harness.store.transact((tx) => {
      for (const state of states) tx.put('states', state);
    });
    const id = await harness.send(actor, 'text', { variables: { B: '2' } });
    const { workerId } = await harness.final(id);
    expect(seen).toEqual({
      PYTHONUNBUFFERED: '1',
      A: '1',
      B: '2',
      MSG: 'text',
      _svc_username: 'ana',
      _svc_api_server: 'http://172.30.0.1:8722',
      _svc_execution_id: id,
      _svc_Content_Type: 'str',
      _svc_actor_revision: '1',
      _svc_actor_dbid: `DEV_${actor}`,
      _svc_actor_id: actor,
      _svc_worker_id: workerId,
      _svc_container_repo: 'spy',
      _svc_actor_state: '{"n":1}',
      _svc_actor_name: 'spy',
      _actor_configs: '{}',
    });
  });

  it('R154 get a token of the owner that is valid only while they run and is never stored in clear', async () => {
    await build();
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', stateless: false, owner: 'eve', maxRunTime: 60 });
    const id = await harness.send(actor, 'one');
    await harness.until(() => gate.running().includes('one'));
    const secret = [...harness.world.runs.values()][0]?.spec.environment['_svc_access_token'] ?? '';
    const [token, ...others] = harness.store.by('tokens', 'execution', id);
    expect(others).toEqual([]);
    expect(token).toMatchObject({ username: 'eve', tenant: 'DEV', flow: 'execution', executionId: id });
    expect((token?.expiresAt ?? 0) - (token?.issuedAt ?? 0)).toBeLessThanOrEqual(60_000 + 50);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify(token)).not.toContain(secret);
    await gate.let('one');
    await harness.final(id);
    expect(harness.store.by('tokens', 'execution', id)).toEqual([]);
  });

  it('read a large body from a file, which is deleted after their start', async () => {
    await build();
    const seen: string[] = [];
    harness.world.images.set('spy', async ({ environment, files }) => {
      seen.push(environment['MSG'] ?? `file ${files.get(environment['MSG_FILE'] ?? '')?.length}`);
      return 0;
    });
    const actor = await harness.actor({ image: 'spy' });
    for (const size of [100_000, 200_000]) {
      const bodyFile = await harness.bodies.put(Buffer.alloc(size, 'x'));
      await harness.final(await harness.send(actor, '', { text: null, bodyFile, size }));
      await harness.until(() => !existsSync(harness.bodies.path(bodyFile)));
    }
    expect(seen).toEqual(['x'.repeat(100_000), 'file 200000']);
  });

  it('leave no body behind if the response to the start is lost or they are halted before the start', async () => {
    await build();
    const actor = await harness.actor();
    let answersLost = 1;
    harness.world.faults.started = () => {
      answersLost -= 1;
      return answersLost >= 0 ? new ExecutorError('unavailable', 'connection reset') : undefined;
    };
    const withBody = async () => {
      const bodyFile = await harness.bodies.put(Buffer.alloc(200_000, 'x'));
      return { bodyFile, id: await harness.send(actor, '', { text: null, bodyFile, size: 200_000 }) };
    };
    const lost = await withBody();
    expect((await harness.final(lost.id)).status).toBe('COMPLETE');
    let halting: Promise<void> | undefined;
    harness.world.faults.start = ({ executionId }) => {
      halting ??= harness.scheduler.halt(executionId);
      return startError();
    };
    const halted = await withBody();
    expect(await harness.final(halted.id)).toMatchObject({ reason: 'halted' });
    await halting;
    await harness.until(() => ![lost, halted].some(({ bodyFile }) => existsSync(harness.bodies.path(bodyFile))));
  });

  it('that exceed their memory end COMPLETE with the reason out_of_memory', async () => {
    await build();
    harness.world.images.set('eater', async () => {
      throw outOfMemory;
    });
    const actor = await harness.actor({ image: 'eater' });
    expect(await harness.final(await harness.send(actor))).toMatchObject({
      status: 'COMPLETE',
      reason: 'out_of_memory',
      exitCode: 137,
    });
  });

  it('that are interrupted by the engine end in ERROR with its message', async () => {
    await build();
    const actor = await harness.actor({ image: 'forever' });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    harness.world.interrupt('the fake engine was stopped');
    expect(await harness.final(id)).toMatchObject({ status: 'ERROR', statusMessage: 'the fake engine was stopped' });
    expect(await harness.final(id)).not.toHaveProperty('reason');
  });
});
