// The contract of every store, run against the real store and the one in memory. It is over 250 lines because
// it lists all requirements of the port.
import { describe, expect, it } from 'vitest';
import { Failure } from '../../daemon/domain/failure.ts';
import type { Page, ReadView, Store, Transaction, Walk } from '../../daemon/ports/store.ts';
import { executionRecord, messageRecord, tokenRecord } from '../support/service/records.ts';

const ids = (records: Iterable<{ readonly id: string }>): string[] => [...records].map(({ id }) => id);

/** `open` creates an empty store. The suite closes it. */
export const storeSuite = (name: string, open: () => Promise<Store>): void => {
  const fact = (title: string, body: (store: Store) => Promise<void>): void => {
    it(title, async () => {
      const store = await open();
      try {
        await body(store);
      } finally {
        await store.close();
      }
    });
  };

  describe(name, () => {
    fact('an empty store has no records', async (store) => {
      expect(store.get('executions', 'e1')).toBeUndefined();
      expect([...store.all('executions')]).toEqual([]);
      expect(store.by('executions', 'actor', 'actor1')).toEqual([]);
      expect(store.count('executions')).toBe(0);
      expect(store.countBy('executions', 'actor', 'actor1')).toBe(0);
      expect(store.lastTime).toBe(0);
      expect(store.status()).toEqual({ writable: true, schemaVersion: 5 });
    });

    fact(
      'a transaction resolves with the return value of its decision, after its records are stored',
      async (store) => {
        const answer = await store.transact((tx) => {
          tx.put('executions', executionRecord('e1'));
          return 42;
        });
        expect(answer).toBe(42);
        expect(store.get('executions', 'e1')).toEqual(executionRecord('e1'));
      },
    );

    fact("a store's version changes only with a durable change, before listeners are called", async (store) => {
      const versions = [store.version()];
      store.watch('executions', () => versions.push(store.version()));
      await store.transact((tx) => void tx.get('executions', 'e1'));
      expect(store.version()).toBe(versions[0]);
      const change = store.transact((tx) => tx.put('executions', executionRecord('e1')));
      expect(store.version()).toBe(versions[0]);
      await change;
      await store.transact((tx) => tx.put('executions', executionRecord('e1')));
      expect(new Set(versions).size).toBe(3);
      expect(store.version()).toBe(versions[2]);
    });

    fact('a decision runs at once, and reads outside it see only durable data', async (store) => {
      let ran = false;
      const promise = store.transact((tx) => {
        ran = true;
        tx.put('executions', executionRecord('e1'));
        expect(tx.get('executions', 'e1')).toBeDefined();
      });
      expect(ran).toBe(true);
      expect(store.get('executions', 'e1')).toBeUndefined();
      expect(store.count('executions')).toBe(0);
      expect(store.by('executions', 'actor', 'actor1')).toEqual([]);
      await promise;
      expect(store.count('executions')).toBe(1);
    });

    fact('a decision sees all earlier decisions, durable or not', async (store) => {
      const first = store.transact((tx) => tx.put('executions', executionRecord('e1')));
      const seen = store.transact((tx) => [tx.count('executions'), tx.countBy('executions', 'actor', 'actor1')]);
      expect(await seen).toEqual([1, 1]);
      await first;
    });

    fact('a decision without a change resolves only when the data it read is durable', async (store) => {
      const order: string[] = [];
      const first = store.transact((tx) => tx.put('executions', executionRecord('e1'))).then(() => order.push('write'));
      const second = store.transact((tx) => tx.count('executions')).then(() => order.push('read'));
      await Promise.all([first, second]);
      expect(order).toEqual(['write', 'read']);
    });

    fact('a decision that throws changes nothing and rejects with its error', async (store) => {
      await store.transact((tx) => {
        tx.put('executions', executionRecord('e1'));
        tx.put('executions', executionRecord('e2'));
      });
      const failure = new Failure('NOT_FOUND', 'no such actor');
      const refused = store.transact((tx) => {
        tx.delete('executions', 'e1');
        tx.put('executions', executionRecord('e1', { actorId: 'other' }));
        tx.put('executions', executionRecord('e2', { status: 'RUNNING' }));
        tx.put('executions', executionRecord('e3'));
        tx.nextSequence();
        throw failure;
      });
      await expect(refused).rejects.toBe(failure);
      expect(await store.transact((tx) => ids(tx.all('executions')))).toEqual(['e1', 'e2']);
      expect(await store.transact((tx) => ids(tx.by('executions', 'actor', 'actor1')))).toEqual(['e1', 'e2']);
      expect(await store.transact((tx) => tx.countBy('executions', 'running', 'yes'))).toBe(0);
      expect(await store.transact((tx) => tx.nextSequence())).toBe(1);
    });

    fact('a decision that throws is not rejected before the data it could read is durable', async (store) => {
      const order: string[] = [];
      const write = store.transact((tx) => tx.put('executions', executionRecord('e1'))).then(() => order.push('write'));
      const taken = store
        .transact((tx) => {
          if (tx.get('executions', 'e1') !== undefined) throw new Failure('ALREADY_EXISTS', 'taken');
        })
        .catch(() => order.push(store.get('executions', 'e1') === undefined ? 'for nothing' : 'taken'));
      await Promise.all([write, taken]);
      expect(order).toEqual(['write', 'taken']);
    });

    fact('an error reverts its own decision only, and keeps earlier ones that are still pending', async (store) => {
      const before = store.transact((tx) => tx.put('executions', executionRecord('e1', { executor: 'first' })));
      const refused = store.transact((tx) => {
        tx.put('executions', executionRecord('e1', { executor: 'second' }));
        tx.delete('executions', 'e1');
        throw new Error('no');
      });
      const after = store.transact((tx) => tx.get('executions', 'e1')?.executor);
      await expect(refused).rejects.toThrow('no');
      expect(await after).toBe('first');
      await before;
    });

    fact('the sequence number begins with 1, grows by one and is shared by all decisions', async (store) => {
      const numbers = Array.from({ length: 5 }, () => store.transact((tx) => tx.nextSequence()));
      expect(await Promise.all(numbers)).toEqual([1, 2, 3, 4, 5]);
    });

    fact(
      'records are ordered by their first put: a replaced record keeps its place, a removed and re-added one is last',
      async (store) => {
        await store.transact((tx) => {
          for (const id of ['a', 'b', 'c']) tx.put('executions', executionRecord(id));
        });
        const pending = store.transact((tx) => {
          tx.put('executions', executionRecord('a', { status: 'RUNNING' }));
          tx.delete('executions', 'b');
          tx.put('executions', executionRecord('d'));
          tx.put('executions', executionRecord('b'));
          expect(ids(tx.all('executions'))).toEqual(['a', 'c', 'd', 'b']);
          expect(ids(tx.by('executions', 'actor', 'actor1'))).toEqual(['a', 'c', 'd', 'b']);
        });
        expect(await store.transact((tx) => ids(tx.all('executions')))).toEqual(['a', 'c', 'd', 'b']);
        await pending;
        expect(ids(store.all('executions'))).toEqual(['a', 'c', 'd', 'b']);
        expect(ids(store.by('executions', 'actor', 'actor1'))).toEqual(['a', 'c', 'd', 'b']);
      },
    );

    fact('an index orders its records like the collection, whenever they entered the index', async (store) => {
      await store.transact((tx) => {
        for (const id of ['a', 'b', 'c']) tx.put('executions', executionRecord(id));
      });
      await store.transact((tx) => tx.put('executions', executionRecord('c', { status: 'RUNNING' })));
      await store.transact((tx) => tx.put('executions', executionRecord('a', { status: 'RUNNING' })));
      expect(ids(store.by('executions', 'running', 'yes'))).toEqual(['a', 'c']);
      await store.transact((tx) => tx.put('executions', executionRecord('a', { status: 'COMPLETE' })));
      expect(ids(store.by('executions', 'running', 'yes'))).toEqual(['c']);
      expect(store.countBy('executions', 'running', 'yes')).toBe(1);
    });

    fact('a page is a part of an index, from either end, even with changes that are not durable yet', async (store) => {
      await store.transact((tx) => {
        for (const id of ['a', 'b', 'c', 'd']) tx.put('executions', executionRecord(id));
        tx.put('executions', executionRecord('other', { actorId: 'actor2' }));
      });
      const page = (view: ReadView, page: Page) => ids(view.page('executions', 'actor', 'actor1', page)).join('');
      const each = (view: ReadView, walk?: Walk) => ids(view.each('executions', 'actor', 'actor1', walk)).join('');
      const looked = (view: ReadView) => [
        page(view, { limit: 2 }),
        page(view, { skip: 1, limit: 2 }),
        page(view, { skip: 3, limit: 9 }),
        page(view, { skip: 4, limit: 9 }),
        page(view, { limit: 2, newestFirst: true }),
        page(view, { skip: 2, limit: 9, newestFirst: true }),
        page(view, { limit: 0 }),
        each(view),
        each(view, { newestFirst: true }),
        ids(view.all('executions', { newestFirst: true })).join(' '),
      ];
      const before = ['ab', 'bc', 'd', '', 'dc', 'ba', '', 'abcd', 'dcba', 'other d c b a'];
      expect(looked(store)).toEqual(before);
      await store.transact((tx) => {
        tx.put('executions', executionRecord('a', { status: 'RUNNING' }));
        tx.delete('executions', 'c');
        tx.put('executions', executionRecord('e'));
        tx.put('executions', executionRecord('d', { actorId: 'actor2' }));
        expect(looked(tx)).toEqual(['ab', 'be', '', '', 'eb', 'a', '', 'abe', 'eba', 'e other d b a']);
        expect(tx.page('executions', 'running', 'yes', { limit: 1 })).toEqual([
          executionRecord('a', { status: 'RUNNING' }),
        ]);
        expect(looked(store)).toEqual(before);
      });
      expect(looked(store)).toEqual(['ab', 'be', '', '', 'eb', 'a', '', 'abe', 'eba', 'e other d b a']);
    });

    fact(
      'a field is summed over the records of an index value, even with changes that are not durable yet',
      async (store) => {
        const cpu = (view: ReadView) => ['actor1', 'actor2'].map((actor) => view.sumBy('executions', 'cpuNs', actor));
        await store.transact((tx) => {
          for (const [id, cpuNs] of Object.entries({ a: 1, b: 20, c: 300 }))
            tx.put('executions', executionRecord(id, { cpuNs }));
        });
        const pending = store.transact((tx) => {
          tx.put('executions', executionRecord('a', { cpuNs: 4_000 }));
          tx.put('executions', executionRecord('b', { cpuNs: 20, actorId: 'actor2' }));
          tx.delete('executions', 'c');
          return cpu(tx);
        });
        expect(cpu(store)).toEqual([321, 0]);
        expect(await pending).toEqual([4_000, 20]);
        expect(cpu(store)).toEqual([4_000, 20]);
      },
    );

    fact('records may be removed during an iteration', async (store) => {
      await store.transact((tx) => {
        for (const id of ['a', 'b', 'c']) tx.put('messages', messageRecord(id));
      });
      const removed = await store.transact((tx) => {
        tx.put('messages', messageRecord('d'));
        let count = 0;
        for (const { executionId } of tx.all('messages')) {
          tx.delete('messages', executionId);
          tx.put('executions', executionRecord(executionId));
          count += 1;
        }
        return count;
      });
      expect(removed).toBe(4);
      expect(store.count('messages')).toBe(0);
      expect(store.count('executions')).toBe(4);
    });

    fact('removing a missing record does nothing', async (store) => {
      await store.transact((tx) => tx.delete('tokens', 'nobody'));
      expect(store.count('tokens')).toBe(0);
    });

    fact('property names of JavaScript are ordinary keys', async (store) => {
      for (const id of ['__proto__', 'constructor', 'toString']) {
        expect(store.get('tokens', id)).toBeUndefined();
        expect(store.by('tokens', 'grant', id)).toEqual([]);
        await store.transact((tx) => tx.put('tokens', tokenRecord(id, { grantId: id })));
        expect(store.get('tokens', id)?.hash).toBe(id);
        expect(store.countBy('tokens', 'grant', id)).toBe(1);
      }
    });

    fact('no decision of many concurrent writers is lost', async (store) => {
      const writer = async (name: string): Promise<void> => {
        for (let n = 0; n < 20; n += 1) {
          await store.transact((tx) =>
            tx.put('executions', executionRecord(`${name}x${n}`, { sequence: tx.nextSequence() })),
          );
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, n) => writer(`w${n}`)));
      expect(store.count('executions')).toBe(320);
      const sequences = [...store.all('executions')].map(({ sequence }) => sequence);
      expect(new Set(sequences).size).toBe(320);
    });

    fact('a transaction cannot be used after its decision has returned', async (store) => {
      let kept: Transaction | undefined;
      await store.transact((tx) => {
        kept = tx;
      });
      expect(() => kept?.put('executions', executionRecord('e1'))).toThrow('cannot be used');
      expect(() => kept?.count('executions')).toThrow('cannot be used');
    });

    fact('a decision cannot be asynchronous or start another transaction', async (store) => {
      await expect(
        store.transact(async (tx) => {
          tx.put('executions', executionRecord('e1'));
        }),
      ).rejects.toThrow('synchronous');
      let inner: Promise<unknown> | undefined;
      await store.transact(() => {
        inner = store.transact((tx) => tx.count('executions'));
        inner.catch(() => undefined);
      });
      await expect(inner).rejects.toThrow('another transaction');
      expect(store.count('executions')).toBe(0);
    });

    fact('R119 close completes pending transactions and refuses later ones', async (store) => {
      const last = store.transact((tx) => tx.put('executions', executionRecord('e1')));
      const closing = store.close();
      await expect(store.transact((tx) => tx.count('executions'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
      await expect(last).resolves.toBeUndefined();
      await closing;
    });

    fact(
      'a subscriber of a collection gets each put in order, once the whole decision is readable, and none after unsubscribing',
      async (store) => {
        const seen: [string, number][] = [];
        const leave = store.watch('executions', ({ id }) => seen.push([id, store.count('workers')]));
        const first = store.transact((tx) => {
          tx.put('executions', executionRecord('e1'));
          tx.put('executions', executionRecord('e2'));
          tx.put('workers', {
            id: 'w1',
            actorId: 'actor1',
            tenant: 'DEV',
            status: 'READY',
            image: 'x',
            revision: 1,
            createdAt: 0,
          });
        });
        expect(seen).toEqual([]);
        const second = store.transact((tx) => tx.put('executions', executionRecord('e3')));
        await Promise.all([first, second]);
        expect(seen).toEqual([
          ['e1', 1],
          ['e2', 1],
          ['e3', 1],
        ]);
        const refused = store.transact((tx) => {
          tx.put('executions', executionRecord('e4'));
          throw new Failure('VALIDATION', 'no');
        });
        await expect(refused).rejects.toThrow('no');
        leave();
        await store.transact((tx) => tx.put('executions', executionRecord('e5')));
        expect(seen.map(([id]) => id)).toEqual(['e1', 'e2', 'e3']);
      },
    );
  });
};
