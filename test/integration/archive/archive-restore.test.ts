// An archive becomes the data of an instance as a whole or not at all. Over 250 lines, because the cases share their data.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instanceIdOf } from '../../../daemon/app/instance-id.ts';
import { replaceData } from '../../../daemon/app/replace-data.ts';
import { type DaemonConfig, resolveConfig } from '../../../daemon/config.ts';
import { readManifest, writeManifest } from '../../../daemon/store/journal/manifest.ts';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { collectionNames } from '../../../daemon/store/record-table.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { keysText, newKey, readKeys } from '../../../daemon/vault/key-file.ts';
import { actorRecord, executionRecord, tokenRecord } from '../../support/service/records.ts';
import { allRecords, filesBelow, membersOf, openData, packed, withDigests } from '../../support/store/archives.ts';
import { onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';
import { anyText } from '../../support/values/any-text.ts';

const replace = (dataDir: string, ...flags: readonly string[]) => {
  const config = resolveConfig(['--data-dir', dataDir, ...flags], {});
  if (config.replacement === undefined) throw new Error('the flags replace nothing');
  return replaceData(
    config as DaemonConfig & { replacement: NonNullable<DaemonConfig['replacement']> },
    rememberingLogger(),
    () => undefined,
  );
};

const meta = (instanceId: string) => ({ key: 'instance' as const, instanceId, createdAt: 1 });

type Data = Awaited<ReturnType<typeof openData>>;
const recordsOf = async (folder: string) => {
  const data = await openData(folder);
  const records = allRecords(data.store);
  await data.store.close();
  return records;
};

/** The meta records of replaced data without their epoch, which every replacement changes. */
const adopted = (records: readonly string[] = []): readonly string[] =>
  records.map((text) => {
    const { epoch, ...rest } = JSON.parse(text) as { readonly epoch: string };
    expect(epoch).toMatch(/^[A-Za-z0-9]{13}$/);
    return JSON.stringify(rest);
  });

/** A data folder with these contents, closed. */
const folderWith = async (fill: (data: Data) => Promise<unknown>): Promise<string> => {
  const folder = path.join(temporaryFolder(), 'data');
  const data = await openData(folder);
  await fill(data);
  await data.store.close();
  return folder;
};

/** An archive of a data folder. */
const archiveOf = async (folder: string, withKeys = false): Promise<string> => {
  const data = await openData(folder);
  const file = path.join(temporaryFolder(), 'all.tar.gz');
  await data.write(file, withKeys);
  await data.store.close();
  return file;
};

const withActor = (name: string, instanceId = 'target') =>
  folderWith(({ store }) =>
    store.transact((tx) => {
      tx.put('meta', meta(instanceId));
      tx.put('actors', actorRecord(name));
    }),
  );

const text = anyText({ maxLength: 30 });
const key = fc.constantFrom('a', 'b', 'c', 'd', '__proto__');
const anyRecord = fc.record({ name: fc.constantFrom(...collectionNames), key, text });

/** A record of any collection, with every field that a key, an index or a sum reads. */
const recordOf = (id: string, some: string) => {
  const number = id.charCodeAt(0);
  const names = ['id', 'tenant', 'username', 'owner', 'name', 'alias', 'hash', 'grantId', 'clientId', 'executionId'];
  const more = ['actorId', 'redirectUri', 'scope'];
  const numbers = ['number', 'serial', 'eventNumber', 'version', 'sequence', 'size', 'receivedAt'];
  return {
    ...Object.fromEntries([...names, ...more].map((field) => [field, id])),
    ...Object.fromEntries(numbers.map((field) => [field, number])),
    status: 'COMPLETE',
    some,
  };
};

describe('an archive', () => {
  it('restores equal data, record by record, with bodies and logs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 20 }), fc.array(text, { maxLength: 3 }), async (all, texts) => {
        const source = await folderWith(async ({ store, bodies, logs }) => {
          await store.transact((tx) => {
            for (const { name, key: id, text: some } of all) {
              tx.nextSequence();
              // The record of the instance is not copied, see below.
              if (name !== 'meta') tx.put(name, recordOf(id, some) as never);
            }
          });
          for (const each of texts) await bodies.put(Buffer.from(each));
          for (const [index, each] of texts.entries()) {
            const log = logs.open(`log${index}`);
            log.write('stdout', Buffer.from(each));
            await log.close();
          }
        });
        const target = path.join(temporaryFolder(), 'data');
        mkdirSync(target, { mode: 0o700 });
        await replace(target, '--import', await archiveOf(source));
        // An archive leaves browser sessions out.
        expect(await recordsOf(target)).toEqual({ ...(await recordsOf(source)), sessions: [] });
        for (const part of ['bodies', 'logs']) {
          const read = (folder: string) =>
            readdirSync(path.join(folder, part))
              .sort()
              .map((name) => [name, readFileSync(path.join(folder, part, name), 'utf8')]);
          expect(read(target)).toEqual(read(source));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('restored into an empty folder becomes a separate instance, even in the folder of its source', async () => {
    const source = await withActor('a', 'source');
    const open = async (folder: string): Promise<string> => {
      const data = await openData(folder);
      const { clock, logger } = data;
      const id = await instanceIdOf(folder, { store: data.store, ids: createIds(), clock, logger });
      await data.store.close();
      return id;
    };
    expect(await open(source)).toBe('source');
    const file = await archiveOf(source);
    renameSync(source, `${source}-moved`);
    expect(await open(`${source}-moved`)).toBe('source');
    mkdirSync(source, { mode: 0o700 });
    await replace(source, '--import', file);
    const id = await open(source);
    expect(id).not.toBe('source');
    expect(await open(source)).toBe(id);
    expect(await open(`${source}-moved`)).toBe('source');
  });

  it('is refused by an instance that is not empty, and with --replace a snapshot keeps the old data', async () => {
    const file = await archiveOf(await withActor('new', 'source'));
    const target = await withActor('old');
    await expect(replace(target, '--import', file)).rejects.toMatchObject({
      code: 'NOT_EMPTY',
      message: 'The instance is not empty: it has 1 actors',
    });
    expect((await recordsOf(target)).actors).toEqual([JSON.stringify(actorRecord('old'))]);

    const { snapshot = '' } = await replace(target, '--import', file, '--replace');
    expect(snapshot).toMatch(/^before-restore-\d{8}T\d{9}Z$/);
    const now = await recordsOf(target);
    expect(now.actors).toEqual([JSON.stringify(actorRecord('new'))]);
    // What the engine has of this instance carries its id.
    expect(adopted(now.meta)).toEqual([JSON.stringify(meta('target'))]);

    await replace(target, '--import', path.join(target, 'snapshots', `${snapshot}.tar.gz`), '--replace');
    expect((await recordsOf(target)).actors).toEqual([JSON.stringify(actorRecord('old'))]);
    expect(filesBelow(target).filter((name) => name.startsWith('import.'))).toEqual([]);
  });

  it('is refused while executions of the old data run, and drops the run locations of another instance', async () => {
    const running = (instanceId: string) =>
      folderWith(({ store }) =>
        store.transact((tx) => {
          tx.put('meta', meta(instanceId));
          tx.put('executions', executionRecord('e', { status: 'RUNNING', runRef: 'container' }));
        }),
      );
    const file = await archiveOf(await running('source'));
    const busy = await running('target');
    await expect(replace(busy, '--import', file, '--replace')).rejects.toMatchObject({ code: 'RUNNING' });
    await expect(replace(busy, '--reset')).rejects.toMatchObject({ code: 'RUNNING' });

    const other = await withActor('old');
    await replace(other, '--import', file, '--replace');
    expect((await recordsOf(other)).executions).toEqual([JSON.stringify(executionRecord('e', { status: 'RUNNING' }))]);
    const same = await withActor('old', 'source');
    await replace(same, '--import', file, '--replace');
    expect((await recordsOf(same)).executions?.[0]).toContain('"runRef":"container"');
  });

  it('restores the clock of its data, while a reset keeps the clock of the instance', async () => {
    const clock = { base: 5, at: 7, paused: true } as never;
    const withClock = (instanceId: string) =>
      folderWith(({ store }) => store.transact((tx) => tx.put('meta', { ...meta(instanceId), clock })));
    const target = await withActor('old');
    await replace(target, '--import', await archiveOf(await withClock('source')), '--replace');
    expect(adopted((await recordsOf(target)).meta)).toEqual([JSON.stringify({ ...meta('target'), clock })]);
    await replace(target, '--import', await archiveOf(await withActor('new', 'source')), '--replace');
    expect(adopted((await recordsOf(target)).meta)).toEqual([JSON.stringify(meta('target'))]);
    const own = await withClock('own');
    await replace(own, '--reset');
    expect(adopted((await recordsOf(own)).meta)).toEqual([JSON.stringify({ ...meta('own'), clock })]);
    // Nothing is written with a time that the clock of the data has not reached.
    const data = await openData(own);
    expect(data.store.lastTime).toBe(1_000);
    await data.store.close();
  });

  it('R168 with records that are damaged, unknown or missing is refused, and nothing is changed', async () => {
    const members = membersOf(await archiveOf(await withActor('new', 'source')));
    const target = await withActor('old');
    const attempt = async (changed: typeof members, announced = changed) => {
      const [first, ...rest] = announced.filter(({ name }) => name !== 'SHA256SUMS');
      const manifest = JSON.parse(first?.content.toString() ?? '') as Record<string, unknown>;
      const bytes = rest.reduce((sum, { content }) => sum + content.length, 0);
      const said = Buffer.from(JSON.stringify({ ...manifest, files: rest.length, bytes }));
      const file = path.join(temporaryFolder(), 'x.tar.gz');
      writeFileSync(file, packed(withDigests([{ name: 'manifest.json', content: said }, ...rest])));
      return replace(target, '--import', file, '--replace');
    };
    const without = (name: string) => members.filter((member) => member.name !== name);
    const damaged = members.map((member) =>
      member.name === 'db/actors.json'
        ? { ...member, content: Buffer.from(member.content.toString().replace('new', 'neW')) }
        : member,
    );
    await expect(attempt(damaged)).rejects.toMatchObject({ code: 'ARCHIVE', message: /its records are damaged/ });
    await expect(attempt(without('db/actors.json'))).rejects.toMatchObject({ message: /its records are damaged/ });
    await expect(attempt(without('db/manifest.json'))).rejects.toMatchObject({
      message: /it holds no "db\/manifest.json"/,
    });
    const unknown = [...members, { name: 'db/others.json', content: Buffer.from('[\n]\n') }];
    await expect(attempt(unknown)).rejects.toMatchObject({ message: /which this version of actorctl does not know/ });
    expect((await recordsOf(target)).actors).toEqual([JSON.stringify(actorRecord('old'))]);
    expect(existsSync(path.join(target, 'import.next'))).toBe(false);
  });

  it('that does not fit on the disk is refused, and nothing is changed', async () => {
    const file = await archiveOf(await withActor('new', 'source'));
    const target = await withActor('old');
    const end = await onFileHandles('write', (real, _handle, args) =>
      String(args[0]).includes('"new"') ? Promise.reject(systemError('ENOSPC')) : real(),
    );
    await expect(replace(target, '--import', file, '--replace')).rejects.toThrow('ENOSPC');
    end();
    expect((await recordsOf(target)).actors).toEqual([JSON.stringify(actorRecord('old'))]);
    expect(existsSync(path.join(target, 'import.next'))).toBe(false);
  });

  it('replaces damaged data only with --replace, and keeps a copy of the damaged data', async () => {
    const file = await archiveOf(await withActor('new', 'source'));
    const target = await withActor('old');
    writeFileSync(path.join(target, 'db', 'actors.json'), 'damaged');
    await expect(replace(target, '--import', file)).rejects.toThrow('The data is damaged');
    const { kept = '', snapshot } = await replace(target, '--import', file, '--replace');
    expect(snapshot).toBeUndefined();
    expect(readFileSync(path.join(kept, 'db', 'actors.json'), 'utf8')).toBe('damaged');
    expect((await recordsOf(target)).actors).toEqual([JSON.stringify(actorRecord('new'))]);
  });

  it('with keys appends them to the keys of the instance, so an earlier snapshot still opens', async () => {
    const [own, archived] = [newKey(), newKey()];
    const [source, target] = [await withActor('new', 'source'), await withActor('old')];
    for (const [folder, one] of [[source, archived] as const, [target, own] as const]) {
      writeFileSync(path.join(folder, 'config-key.json'), keysText([one]), { mode: 0o600 });
      chmodSync(path.join(folder, 'config-key.json'), 0o600);
    }
    await replace(target, '--import', await archiveOf(source, true), '--replace');
    expect(await readKeys(path.join(target, 'config-key.json'))).toEqual({ keys: [own, archived] });
  });

  it('with keys gives a new instance its own primary key', async () => {
    const archived = newKey();
    const [source, target] = [await withActor('new', 'source'), await withActor('old')];
    const key = path.join(source, 'config-key.json');
    writeFileSync(key, keysText([archived]), { mode: 0o600 });
    await replace(target, '--import', await archiveOf(source, true), '--replace');
    expect(await readKeys(path.join(target, 'config-key.json'))).toEqual({ keys: [expect.anything(), archived] });
  });
});

describe('a reset', () => {
  it('migrates data of an older version each time, and keeps every backup', async () => {
    const folder = await withActor('a');
    const db = path.join(folder, 'db');
    for (const count of [1, 2]) {
      const manifest = await readManifest(db);
      if (manifest === undefined) throw new Error('there is no manifest');
      await writeManifest(db, { ...manifest, schemaVersion: SCHEMA_VERSION - 1 });
      await replace(folder, '--reset');
      expect(readdirSync(folder).filter((name) => name.startsWith('db.backup-'))).toHaveLength(count);
    }
  });

  it('empties an instance except for the data to keep, and a snapshot stores the rest', async () => {
    const fill = () =>
      folderWith(({ store }) =>
        store.transact((tx) => {
          tx.put('meta', meta('target'));
          tx.put('users', { tenant: 'DEV', username: 'ana' } as never);
          tx.put('clients', { id: 'c', tenant: 'DEV', owner: 'ana', name: 'web' } as never);
          tx.put('tokens', tokenRecord('t'));
          tx.put('actors', actorRecord('old'));
          const session = { hash: 'h', browser: 'b', tenant: 'DEV', username: 'ana', startedAt: 0, seenAt: 0 };
          tx.put('sessions', session);
        }),
      );
    const everything = await fill();
    await replace(everything, '--reset');
    const left = Object.entries(await recordsOf(everything)).filter(([, records]) => records.length > 0);
    expect(left.map(([name, records]) => [name, adopted(records)])).toEqual([
      ['meta', [JSON.stringify(meta('target'))]],
    ]);
    const some = await fill();
    const before = await recordsOf(some);
    const { snapshot } = await replace(some, '--reset', '--keep', 'users,clients');
    const after = await recordsOf(some);
    expect([after.users, after.clients, adopted(after.meta)]).toEqual([before.users, before.clients, before.meta]);
    expect(before.sessions).toHaveLength(1);
    expect([after.tokens, after.actors, after.sessions]).toEqual([[], [], []]);
    await replace(some, '--import', path.join(some, 'snapshots', `${snapshot}.tar.gz`), '--replace');
    const back = await recordsOf(some);
    // The snapshot has no session either.
    expect({ ...back, meta: adopted(back.meta) }).toEqual({ ...before, sessions: [] });
  });
});
