// The daemon is killed with -9 at random times while clients wait until chains of actors have settled: no answer misses
// an effect.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { dice, seedOf } from '../support/crash/crash-test.ts';
import { type BuiltDaemon, builtDaemon, register } from '../support/daemon/daemon.ts';

const KILLS = Number(process.env['ACTORCTL_TEST_KILLS'] ?? 10);
const CLIENTS = 4;

const left: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const tidy of left.splice(0).reverse()) await tidy();
});

/** Asks until the daemon answers with one of the statuses. The daemon may be down, or be killed while it answers. */
const patiently = async (ask: () => ReturnType<BuiltDaemon['ask']>): ReturnType<BuiltDaemon['ask']> => {
  for (;;) {
    try {
      const answer = await ask();
      if (answer.status !== 503) return answer;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
    await pause(50);
  }
};

it(`a chain that has settled has all of its executions, over ${KILLS} kills`, async () => {
  const seed = seedOf(process.env);
  console.log(`settled: ACTORCTL_TEST_SEED=${seed}`);
  const random = dice(seed);
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-settled-'));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'sleep 0.05'] }));
  const daemon = builtDaemon({ engine: 'none' });
  left.push(() => daemon.remove());
  await daemon.start();
  await daemon.admit();
  const image = pathToFileURL(folder).href;
  const chain: string[] = [];
  for (let n = 0; n < 3; n += 1) chain.push(await register(daemon, { image, ...(n > 0 && { link: chain[n - 1] }) }));
  const [, , first = ''] = chain;

  let over = false;
  const trees: unknown[] = [];
  const client = async (): Promise<void> => {
    while (!over) {
      // A message whose answer was lost may have been sent. Its chain is of no interest here.
      const sent = await patiently(() =>
        daemon.ask('POST', `/actors/v2/${first}/messages`, { json: { message: 'x' } }),
      );
      const path = `/actors/v2/${first}/executions/${String(sent.result['executionId'])}/settled?timeout=60`;
      const { result } = await patiently(() => daemon.ask('GET', path));
      const effects = result['effects'] as readonly { readonly actorId: string; readonly status: string }[];
      trees.push([result['settled'], effects.map(({ actorId, status }) => [actorId, status])]);
    }
  };
  const killer = async (): Promise<void> => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(random() * 1_000);
      await daemon.kill();
      await daemon.start();
    }
    over = true;
  };
  await Promise.all([killer().finally(() => (over = true)), ...Array.from({ length: CLIENTS }, client)]);
  console.log(`settled: ${KILLS} kills, ${trees.length} chains`);
  expect(trees.length).toBeGreaterThanOrEqual(CLIENTS);
  const whole = [true, chain.toReversed().map((actor) => [actor, 'COMPLETE'])];
  expect(trees.filter((tree) => JSON.stringify(tree) !== JSON.stringify(whole))).toEqual([]);
});
