// The input of an execution, its record and its end, with a real store and an engine in memory.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { outOfMemory } from '../../support/engine/fake-world.ts';
import {
  build,
  closeHouses,
  gated,
  house,
  startError,
  statusOf,
  workersOf,
} from '../../support/engine/scheduler-fixture.ts';
import { stateRecord } from '../../support/service/records.ts';

closeHouses();

describe('executions', () => {
  it('record log, exit code, times and worker, and leave no container', async () => {
    await build();
    const actor = await house.actor({ image: 'failing' });
    const id = await house.send(actor);
    const execution = await house.final(id);
    expect(execution).toMatchObject({ status: 'COMPLETE', reason: 'exited', exitCode: 3, finalState: { ExitCode: 3 } });
    expect(execution.startedAt).toBeGreaterThanOrEqual(execution.receivedAt - 1000);
    expect(execution.finishedAt).toBeGreaterThanOrEqual(execution.startedAt ?? Number.NaN);
    expect(execution).not.toHaveProperty('runRef');
    expect(await house.logs.read(id)).toBe('failing\n');
    expect(statusOf(actor)).toBe('READY');
    await house.until(() => house.world.runs.size === 0);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY', lastExecutionAt: execution.finishedAt }]);
  });

  it('have a start time from their claim on', async () => {
    await build();
    const gate = gated();
    const id = await house.send(await house.actor({ image: 'gated' }), 'one');
    await house.until(() => gate.running().includes('one'));
    const running = house.store.get('executions', id);
    expect(running).toMatchObject({ status: 'RUNNING', startedAt: expect.any(Number) });
    expect(running?.startedAt).toBeGreaterThanOrEqual(running?.receivedAt ?? Number.NaN);
    await gate.let('one');
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', startedAt: expect.any(Number) });
  });

  it('are final only when the results of their run are stored', async () => {
    await build();
    let store = (): void => undefined;
    house.world.settled = new Promise((resolve) => {
      store = resolve;
    });
    const id = await house.send(await house.actor({ image: 'failing' }));
    await house.until(() => [...house.world.runs.values()].some(({ state }) => state === 'ended'));
    await sleep(50);
    expect(house.execution(id)?.status).toBe('RUNNING');
    store();
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', exitCode: 3 });
  });

  it('keep their log, and end under the next daemon, if the daemon stops before their results are stored', async () => {
    await build();
    house.world.settled = new Promise(() => undefined);
    const id = await house.send(await house.actor({ image: 'failing' }));
    await house.until(() => [...house.world.runs.values()].some(({ state }) => state === 'ended'));
    expect(await house.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
    expect([house.execution(id)?.status, await house.logs.read(id)]).toEqual(['RUNNING', 'failing\n']);
    house.world.settled = undefined;
    await house.restart();
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', exitCode: 3 });
    expect(house.world.starts).toEqual([id]);
  });

  it('name the node of a cluster that runs them, from their start to their record', async () => {
    await build();
    house.world.node = 'worker2';
    const gate = gated();
    const actor = await house.actor({ image: 'gated', placement: ['node.labels.gpu==true'] });
    const id = await house.send(actor, 'one');
    await house.until(() => house.store.get('executions', id)?.node === 'worker2');
    expect(house.store.get('executions', id)?.status).toBe('RUNNING');
    expect([...house.world.runs.values()][0]?.spec.placement).toEqual(['node.labels.gpu==true']);
    await gate.let('one');
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', node: 'worker2' });
  });

  it('get message, state and context in their environment, and no variables of the daemon', async () => {
    await build();
    let seen: Readonly<Record<string, string>> = {};
    house.world.images.set('spy', async ({ environment }) => {
      seen = environment;
      return 0;
    });
    const actor = await house.actor({ image: 'spy', name: 'spy', environment: { A: '1', B: '1' } });
    const states = ['{}', '{"n":1}'].map((text, n) => stateRecord(actor, n + 1, { text }));
    await house.store.transact((tx) => {
      for (const state of states) tx.put('states', state);
    });
    const id = await house.send(actor, 'text', { variables: { B: '2' } });
    const { workerId } = await house.final(id);
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
    const actor = await house.actor({ image: 'gated', stateless: false, owner: 'eve', maxRunTime: 60 });
    const id = await house.send(actor, 'one');
    await house.until(() => gate.running().includes('one'));
    const secret = [...house.world.runs.values()][0]?.spec.environment['_svc_access_token'] ?? '';
    const [token, ...others] = house.store.by('tokens', 'execution', id);
    expect(others).toEqual([]);
    expect(token).toMatchObject({ username: 'eve', tenant: 'DEV', flow: 'execution', executionId: id });
    expect((token?.expiresAt ?? 0) - (token?.issuedAt ?? 0)).toBeLessThanOrEqual(60_000 + 50);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify(token)).not.toContain(secret);
    await gate.let('one');
    await house.final(id);
    expect(house.store.by('tokens', 'execution', id)).toEqual([]);
  });

  it('read a large body from a file, which is deleted after their start', async () => {
    await build();
    const seen: string[] = [];
    house.world.images.set('spy', async ({ environment, files }) => {
      seen.push(environment['MSG'] ?? `file ${files.get(environment['MSG_FILE'] ?? '')?.length}`);
      return 0;
    });
    const actor = await house.actor({ image: 'spy' });
    for (const size of [100_000, 200_000]) {
      const bodyFile = await house.bodies.put(Buffer.alloc(size, 'x'));
      await house.final(await house.send(actor, '', { text: null, bodyFile, size }));
      await house.until(() => !existsSync(house.bodies.path(bodyFile)));
    }
    expect(seen).toEqual(['x'.repeat(100_000), 'file 200000']);
  });

  it('leave no body behind if the answer to the start is lost or they are halted before the start', async () => {
    await build();
    const actor = await house.actor();
    let answersLost = 1;
    house.world.faults.started = () => {
      answersLost -= 1;
      return answersLost >= 0 ? new ExecutorError('unavailable', 'connection reset') : undefined;
    };
    const withBody = async () => {
      const bodyFile = await house.bodies.put(Buffer.alloc(200_000, 'x'));
      return { bodyFile, id: await house.send(actor, '', { text: null, bodyFile, size: 200_000 }) };
    };
    const lost = await withBody();
    expect((await house.final(lost.id)).status).toBe('COMPLETE');
    let halting: Promise<void> | undefined;
    house.world.faults.start = ({ executionId }) => {
      halting ??= house.scheduler.halt(executionId);
      return startError();
    };
    const halted = await withBody();
    expect(await house.final(halted.id)).toMatchObject({ reason: 'halted' });
    await halting;
    await house.until(() => ![lost, halted].some(({ bodyFile }) => existsSync(house.bodies.path(bodyFile))));
  });

  it('that exceed their memory end COMPLETE with the reason out_of_memory', async () => {
    await build();
    house.world.images.set('eater', async () => {
      throw outOfMemory;
    });
    const actor = await house.actor({ image: 'eater' });
    expect(await house.final(await house.send(actor))).toMatchObject({
      status: 'COMPLETE',
      reason: 'out_of_memory',
      exitCode: 137,
    });
  });

  it('that are interrupted by the engine end in ERROR with its message', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.world.interrupt('the fake engine was stopped');
    expect(await house.final(id)).toMatchObject({ status: 'ERROR', statusMessage: 'the fake engine was stopped' });
    expect(await house.final(id)).not.toHaveProperty('reason');
  });
});
