// The errors of the store, its subscriptions, and the events that its transactions write automatically.
import { describe, expect, it } from 'vitest';
import { emittingStore } from '../../../daemon/domain/events/emitting-store.ts';
import {
  errnoOf,
  FolderRefused,
  Locked,
  StoreDamaged,
  StoreTooNew,
  StoreUnwritable,
  unavailable,
  writing,
} from '../../../daemon/store/store-errors.ts';
import { createSubscriptions } from '../../../daemon/store/subscriptions.ts';
import { actorRecord, executionRecord } from '../../support/service/records.ts';
import { systemError } from '../../support/store/file-handles.ts';
import { memoryStore } from '../../support/store/memory-store.ts';
import { rememberingLogger } from '../../support/store/store-fixtures.ts';

describe('an error of the data folder', () => {
  it('says what happened and what to do', () => {
    const errors = [
      new StoreDamaged('/d/a.json', 3, 'x'),
      new StoreDamaged('/d/a.json', undefined, 'x'),
      new StoreTooNew('/d', 9, 5),
      new StoreUnwritable('/d', new Error('EROFS')),
      new FolderRefused('/d', 'is a file', 'Remove it.'),
      new Locked('/d', { pid: 7, instance: 'blue', stateDir: '/s/blue', since: 0 }, true),
      new Locked('/d', { pid: 7, instance: 'blue', stateDir: '/s/blue', since: 0 }, false),
    ];
    expect(errors.map(String)).toEqual([
      'StoreDamaged: The data is damaged: /d/a.json, line 3: x. Nothing was changed. Restore the folder from a backup, or move it away to start with an empty one.',
      'StoreDamaged: The data is damaged: /d/a.json: x. Nothing was changed. Restore the folder from a backup, or move it away to start with an empty one.',
      'StoreTooNew: The data in /d has schema version 9, but this program supports only version 5 and older. Nothing was changed. Install the newer version that wrote it, or choose another data folder.',
      'StoreUnwritable: The data folder cannot be written: /d: EROFS. Make it writable for this user, free space on its disk, or choose another folder with --data-dir.',
      'FolderRefused: The data folder is refused: /d is a file. Remove it.',
      'Locked: The data folder /d is in use by process 7 (instance blue, state folder /s/blue, since 1970-01-01T00:00:00.000Z). Stop that daemon first, or choose another folder or instance.',
      'Locked: The data folder /d is in use by process 7 of another container or host (instance blue, state folder /s/blue, since 1970-01-01T00:00:00.000Z). Stop that daemon first, or choose another folder or instance.',
    ]);
    expect(errors[3]?.cause).toMatchObject({ message: 'EROFS' });
  });

  it('has the code of the system, if there is one', () => {
    expect(errnoOf(systemError('EIO'))).toBe('EIO');
    expect([{ code: 'EIO' }, new Error('x'), Object.assign(new Error('x'), { code: 1 })].map(errnoOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of the disk becomes a write error, and other errors do not', async () => {
    expect(await writing('/d', async () => 1)).toBe(1);
    for (const code of ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EIO']) {
      await expect(writing('/d', () => Promise.reject(systemError(code)))).rejects.toBeInstanceOf(StoreUnwritable);
    }
    for (const error of [systemError('ENOENT'), new Error('x'), 'text']) {
      await expect(writing('/d', () => Promise.reject(error))).rejects.toBe(error);
    }
  });

  it('of a refused write names the reason for a caller, but no path', () => {
    const rest = 'Nothing was changed. Check the disk and try again.';
    for (const [error, reason, errno] of [
      [systemError('ENOSPC'), 'The disk of the daemon is full', 'ENOSPC'],
      [systemError('EDQUOT'), 'The disk quota of the daemon is used up', 'EDQUOT'],
      [systemError('EROFS'), 'The disk of the daemon is read-only', 'EROFS'],
      [systemError('EIO'), 'The disk of the daemon refuses writes (EIO)', 'EIO'],
      [new Error('/secret'), 'The disk of the daemon refuses writes (unknown error)', 'unknown error'],
    ] as const) {
      expect(unavailable(error)).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: `${reason}. ${rest}`,
        detail: { errno },
      });
    }
  });
});

describe('a subscription', () => {
  it('is notified until it is cancelled, and an error of one listener reaches no other', () => {
    const logger = rememberingLogger();
    const { watch, notificationOf } = createSubscriptions(logger);
    const record = executionRecord('e1');
    expect(notificationOf('executions', record)).toBeUndefined();
    const seen: string[] = [];
    const error = new Error('x');
    const leave = [
      watch('executions', () => {
        seen.push('first');
        leave[1]?.();
        throw error;
      }),
      watch('executions', ({ id }) => seen.push(id)),
    ];
    expect(notificationOf('actors', actorRecord('a'))).toBeUndefined();
    notificationOf('executions', record)?.();
    // It is cancelled during the notification, which continues.
    expect(seen).toEqual(['first', 'e1']);
    expect(logger.lines).toEqual([
      { level: 'error', fields: { error, collection: 'executions' }, message: 'a listener of the store failed' },
    ]);
    notificationOf('executions', record)?.();
    expect(seen).toEqual(['first', 'e1', 'first']);
    leave[0]?.();
    expect(notificationOf('executions', record)).toBeUndefined();
  });
});

describe('a store with events', () => {
  const make = async () => {
    const store = memoryStore();
    let made = 0;
    const emitting = emittingStore(store, { ids: { id: () => `id${++made}` }, clock: { now: () => 5_000 } });
    return { store, emitting, events: () => [...store.all('events')] };
  };

  it('writes an event when an actor becomes READY or ERROR, and only then', async () => {
    const { emitting, events } = await make();
    const put = (status: string, changes = {}) =>
      emitting.transact((tx) => tx.put('actors', actorRecord('a1', { status: status as never, ...changes })));
    await put('SUBMITTED');
    expect(events()).toEqual([]);
    await put('READY');
    await put('READY', { description: 'new' });
    expect(events()).toMatchObject([{ type: 'ACTOR_READY', actorId: 'a1', at: 5_000 }]);
    await put('ERROR', { statusMessage: 'no image' });
    expect(events()).toHaveLength(2);
    expect(events()[1]).toMatchObject({ type: 'ACTOR_ERROR' });
    expect(JSON.stringify(events()[1])).toContain('no image');
    await put('SHUTTING_DOWN');
    expect(events()).toHaveLength(2);
  });

  it('writes an event when an execution of an existing actor ends, with its exit code', async () => {
    const { emitting, events, store } = await make();
    const put = (id: string, changes: object) =>
      emitting.transact((tx) => tx.put('executions', executionRecord(id, { actorId: 'a1', ...changes })));
    await put('e0', { status: 'COMPLETE' });
    expect(events()).toEqual([]);
    await emitting.transact((tx) => tx.put('actors', actorRecord('a1', { status: 'READY' })));
    const before = events().length;
    await put('e1', { status: 'RUNNING' });
    await put('e2', { status: 'CANCELLED' });
    expect(events()).toHaveLength(before);
    await put('e1', { status: 'COMPLETE', exitCode: 3 });
    await put('e1', { status: 'COMPLETE', exitCode: 3, runtimeMs: 1 });
    await put('e3', { status: 'ERROR' });
    const ended = events().slice(before);
    expect(ended.map(({ type }) => type)).toEqual(['EXECUTION_COMPLETE', 'EXECUTION_COMPLETE']);
    expect(ended.map((event) => JSON.stringify(event).includes('exit'))).toEqual([true, false]);
    expect(store.get('executions', 'e1')).toMatchObject({ exitCode: 3 });
  });

  it('writes other records as they are, and wraps a transaction once', async () => {
    const { emitting, store, events } = await make();
    const seen = new Set<unknown>();
    for (const id of ['r1', 'r2']) {
      await emitting.transact((tx) => {
        seen.add(tx);
        tx.put('tokens', { hash: id } as never);
        expect(tx.get('tokens', id)).toBeDefined();
      });
    }
    expect([store.count('tokens'), events()]).toEqual([2, []]);
    expect(emitting.get('tokens', 'r1')).toEqual({ hash: 'r1' });
  });
});
