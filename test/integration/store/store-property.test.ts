// Property test: after any sequence of transactions and restarts, the store on disk equals its model, in content and
// order.
import { cpSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actorStatusKey } from '../../../daemon/domain/records/collections.ts';
import type { ReadView, Transaction } from '../../../daemon/ports/store.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { examples } from '../../support/runner/examples.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';
import { anyText } from '../../support/values/any-text.ts';

/** A journal size in bytes that no run reaches, so no checkpoint happens. */
const NEVER = 1_000_000_000;

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__');
const change = fc.oneof(
  fc.record({
    kind: fc.constant('execution' as const),
    key,
    actor: key,
    running: fc.boolean(),
    text: anyText(),
  }),
  fc.record({ kind: fc.constant('token' as const), key, actor: key }),
  fc.record({
    kind: fc.constant('remove' as const),
    key,
    from: fc.constantFrom('executions' as const, 'tokens' as const),
  }),
  fc.record({ kind: fc.constant('number' as const) }),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      changes: fc.array(change, { maxLength: 5 }),
      throws: fc.boolean(),
      wait: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash' as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const look = (view: ReadView) => ({
  executions: [...view.all('executions')],
  tokens: [...view.all('tokens')],
  counts: [view.count('executions'), view.count('tokens')],
  indexes: ['a', 'b', 'c', 'd', 'e', 'f', '__proto__'].map((value) => [
    view.by('executions', 'actor', value),
    view.countBy('executions', 'actor', value),
    view.by('tokens', 'grant', value),
    view.countBy('tokens', 'grant', value),
    view.sumBy('executions', 'cpuNs', value),
    view.sumBy('executions', 'runtimeMs', value),
  ]),
  several: [
    view.countBy('executions', 'actor', ['a', 'c', 'a', 'e']),
    view.page('executions', 'actor', ['a', 'c', 'a', 'e'], { skip: 1, limit: 2 }),
    [...view.each('executions', 'actor', ['e', 'b'], { skip: 1, newestFirst: true })],
    view.page(
      'executions',
      'actorStatus',
      ['a', 'b'].map((id) => actorStatusKey(id, 'RUNNING')),
      { limit: 3 },
    ),
  ],
  running: [view.by('executions', 'running', 'yes'), view.countBy('executions', 'running', 'yes')],
  pages: [
    view.page('executions', 'actor', 'a', { skip: 1, limit: 2 }),
    view.page('executions', 'actor', 'a', { skip: 1, limit: 2, newestFirst: true }),
    [...view.each('tokens', 'grant', 'b', { newestFirst: true })],
    [...view.all('executions', { newestFirst: true })],
  ],
});

const decide = (changes: readonly Change[], throws: boolean) => (tx: Transaction) => {
  const numbers: number[] = [];
  for (const made of changes) {
    if (made.kind === 'execution') {
      const status = made.running ? 'RUNNING' : 'COMPLETE';
      const ran = { startedAt: 1, finishedAt: 1 + made.text.length, cpuNs: made.text.length };
      const fields = { actorId: made.actor, status, executor: made.text, ...(!made.running && ran) } as const;
      tx.put('executions', executionRecord(made.key, fields));
    }
    if (made.kind === 'token') tx.put('tokens', tokenRecord(made.key, { grantId: made.actor }));
    if (made.kind === 'remove') tx.delete(made.from, made.key);
    if (made.kind === 'number') numbers.push(tx.nextSequence());
  }
  const seen = JSON.stringify({ numbers, ...look(tx) });
  if (throws) throw new Error(seen);
  return seen;
};

it('the store on disk equals its model after any transactions and restarts', async () => {
  const folders = temporaryFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.constantFrom(1, 600, NEVER),
      fc.constantFrom(0, 400, NEVER),
      async (steps, checkpointFloor, latestBytes) => {
        count += 1;
        let folder = path.join(folders, `run${count}`);
        const open = () =>
          openStore({ folder, clock: handClock(), logger: rememberingLogger(), checkpointFloor, latestBytes });
        let store = await open();
        const model = memoryStore();
        let under: Promise<void>[] = [];
        for (const [index, made] of steps.entries()) {
          if (made.kind === 'decide') {
            const outcomes = [store, model].map((each) =>
              each.transact(decide(made.changes, made.throws)).catch((error: Error) => `threw ${error.message}`),
            );
            under.push(Promise.all(outcomes).then(([real, expected]) => expect(real).toEqual(expected)));
            if (!made.wait) continue;
          }
          await Promise.all(under);
          under = [];
          expect(look(store)).toEqual(look(model));
          // Copying the files takes time, a kill does not. The copy simulates a kill only if no checkpoint changes the
          // files during the copy.
          const still = checkpointFloor === NEVER;
          if (made.kind === 'restart' || (made.kind === 'crash' && !still)) {
            await store.close();
            store = await open();
          }
          if (made.kind === 'crash') {
            // The copy is what a kill would leave: the files as they are now, although writes are still under way.
            const old = store;
            const copy = path.join(folders, `run${count}-${index}`);
            cpSync(folder, copy, { recursive: true });
            await old.close();
            folder = copy;
            store = await open();
          }
          expect(look(store)).toEqual(look(model));
        }
        await Promise.all(under);
        await store.close();
        store = await open();
        expect(look(store)).toEqual(look(model));
        await store.close();
      },
    ),
    { numRuns: examples(30) },
  );
});
