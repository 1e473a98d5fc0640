// A start that would lose the executions of another engine is refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refuseOtherEngine } from '../../../daemon/app/other-engine.ts';
import type { Store } from '../../../daemon/ports/store.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-launch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A store in which executions of these images run. */
const storeOf = (...images: readonly string[]): Store => {
  const running = images.map((image, at) => ({ id: `e${at}`, actorId: image, workerId: `w${at}`, runRef: `r${at}` }));
  const get = (collection: string, id: string) => (collection === 'actors' ? { name: '', image: id } : undefined);
  return { by: () => running, get } as unknown as Store;
};
const start = (store: Store, over = {}) =>
  refuseOtherEngine(
    {
      engine: 'docker',
      isEngineNamed: false,
      haltOnly: false,
      dataDir: '/data',
      paths: { launchFile: path.join(folder, 'launch.json') },
      ...over,
    },
    store,
  );
const lastWas = (launch: object): void =>
  writeFileSync(
    path.join(folder, 'launch.json'),
    JSON.stringify({
      port: 1,
      anyPort: true,
      bind: '127.0.0.1',
      insecureBind: false,
      dataDir: '/data',
      ephemeral: false,
      ...launch,
    }),
  );

it('while containers of a swarm run, and names the flags that take them up', async () => {
  lastWas({ engine: 'swarm', registry: 'r:5000' });
  await expect(start(storeOf('hello', 'hello', 'file:///x'))).rejects.toThrow(
    '2 executions run on the engine "swarm" of the last daemon. Start with "actorctl up --engine swarm --registry r:5000" to take them up; with --engine docker they would end in ERROR',
  );
});

it.each([
  ['nothing runs', {}, [], { engine: 'swarm' }],
  ['only processes run', {}, ['file:///x'], { engine: 'swarm' }],
  ['the engine is the same', {}, ['hello'], {}],
  ['the engine is named', { isEngineNamed: true }, ['hello'], { engine: 'swarm' }],
  ['the last daemon had another data folder', {}, ['hello'], { engine: 'swarm', dataDir: '/other' }],
  ['it only halts what is left', { haltOnly: true }, ['hello'], { engine: 'swarm' }],
])('but not if %s', async (_, over, images, launch) => {
  lastWas(launch);
  await expect(start(storeOf(...images), over)).resolves.toBeUndefined();
});
