// Objects left in a swarm when calls overlap or responses are lost. The test plays the manager.
import { afterEach, expect, it } from 'vitest';
import { runSpec } from '../../ports/executor.suite.ts';
import { playedManager } from '../../support/swarm/played-manager.ts';

let manager: Awaited<ReturnType<typeof playedManager>>;
afterEach(() => manager.close());

it('the first run of a data folder keeps its large files while the swarm is listed for the first time', async () => {
  let used = false;
  const kept: unknown[] = [];
  const offers = {
    offer: async () => '',
    withdraw: async () => undefined,
    keepOnly: async (refs: unknown) => void kept.push(refs),
  };
  const use = { happened: () => used, record: async () => undefined };
  manager = await playedManager({ offers, use });
  expect(await manager.executor.list()).toEqual([]);
  used = true;
  expect(await manager.executor.list()).toEqual([]);
  expect(kept).toEqual([]);
});

const never = new AbortController().signal;
const NOTHING = { services: 0, configs: 0, secrets: 0, containers: 0 };
const withFiles = () =>
  runSpec('hello', {
    environment: { _actor_configs: '{"key":"very-secret"}' },
    secretVariables: ['_actor_configs'],
    files: [{ path: '/_svc_msg', source: { bytes: Buffer.from('x') }, variable: 'MSG_FILE' }],
  });

it.each(['POST /secrets/create', 'POST /configs/create', 'POST /services/create'])(
  'a run leaves no objects if the response to %s is lost',
  async (call) => {
    manager = await playedManager();
    manager.loseAnswer(new RegExp(call));
    await expect(manager.executor.create(withFiles(), never)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(manager.left()).toEqual(NOTHING);
  },
);

it('a privileged run is refused for good, with the flags that help, and leaves no objects', async () => {
  manager = await playedManager();
  await expect(manager.executor.create(runSpec('hello', { privileged: true }), never)).rejects.toMatchObject({
    kind: 'never',
    message: expect.stringMatching(/--engine docker.*without --privileged$/),
  });
  expect(manager.left()).toEqual(NOTHING);
});

it('a run leaves no objects if its creation is aborted while the manager creates its service', async () => {
  manager = await playedManager();
  const aborting = new AbortController();
  manager.loseAnswer(/services.create/, () => aborting.abort());
  await expect(manager.executor.create(withFiles(), aborting.signal)).rejects.toThrow('aborted');
  expect(manager.left()).toEqual(NOTHING);
});

it.each(['DELETE /services', 'DELETE /configs'])(
  'a run leaves no objects if the response to %s is lost and the removal is repeated',
  async (call) => {
    manager = await playedManager();
    const other = await manager.executor.create(withFiles(), never);
    const ref = await manager.executor.create(withFiles(), never);
    manager.loseAnswer(new RegExp(call));
    await expect(manager.executor.remove(ref)).rejects.toMatchObject({ kind: 'unavailable' });
    await manager.executor.remove(ref);
    expect(manager.left()).toEqual({ ...NOTHING, services: 1, configs: 1, secrets: 1 });
    await manager.executor.remove(other);
    expect(manager.left()).toEqual(NOTHING);
  },
);

it('a container that checks an image is removed by the next daemon, but not by the daemon that uses it', async () => {
  manager = await playedManager();
  const { executor, newExecutor, holdAnswer, left } = manager;
  const seen: unknown[] = [];
  holdAnswer(/archive/, async () => {
    await executor.list();
    seen.push(left()['containers']);
    await newExecutor().list();
    seen.push(left()['containers']);
  });
  await executor.prepare('hello', () => undefined, never);
  expect(seen).toEqual([1, 0]);
});
