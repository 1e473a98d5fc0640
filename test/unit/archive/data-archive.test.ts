// What an archive of an open data folder says and holds, and what happens when it cannot be written.
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../../daemon/store/journal/manifest.ts';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { filesBelow, membersOf, openData } from '../../support/store/archives.ts';
import { isOpen } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

/** A data folder with records, a body, an empty one, and two logs. */
const filled = async () => {
  const folder = temporaryFolder();
  const data = await openData(path.join(folder, 'data'));
  await data.store.transact((tx) => {
    tx.nextSequence();
    tx.put('meta', { key: 'instance', instanceId: 'the instance', createdAt: 1 });
    tx.put('tokens', tokenRecord('t'));
    tx.put('executions', executionRecord('ended', { status: 'COMPLETE' }));
    tx.put('executions', executionRecord('runs', { status: 'RUNNING' }));
  });
  const body = await data.bodies.put(Buffer.from('a body'));
  const empty = await data.bodies.put(Buffer.alloc(0));
  for (const id of ['ended', 'runs']) {
    const log = data.logs.open(id);
    log.write('stdout', Buffer.from(`of ${id}`));
    await log.close();
  }
  return { ...data, folder, body, empty, file: path.join(folder, 'all.tar.gz'), data: path.join(folder, 'data') };
};

describe('an archive of a data folder', () => {
  it('contains the keys at its start, even if they change while it is written', async () => {
    const { write, store, keyFile, file } = await filled();
    writeFileSync(keyFile, 'the keys of then');
    const writing = write(file, true);
    writeFileSync(keyFile, 'other keys');
    await writing;
    const kept = membersOf(file).find(({ name }) => name === path.basename(keyFile));
    expect(String(kept?.content)).toBe('the keys of then');
    await store.close();
  });

  it('describes its content, and contains a store as after a clean stop', async () => {
    const { write, store, file, body, empty } = await filled();
    const { manifest, size } = await write(file);
    const members = membersOf(file);
    const contents = members.filter(({ name }) => !['manifest.json', 'SHA256SUMS'].includes(name));
    const bodies = [body, empty].toSorted().map((name) => `bodies/${name}`);
    expect(contents.map(({ name }) => name).toSorted()).toEqual([
      ...bodies,
      'db/executions.json',
      'db/journal-1.ndjson',
      'db/manifest.json',
      'db/meta.json',
      'db/tokens.json',
      'logs/ended.ndjson',
      'logs/runs.ndjson',
    ]);
    expect(manifest).toEqual({
      format: 'actorctl-data',
      version: 1,
      product: '9.9.9',
      schema: SCHEMA_VERSION,
      instance: 'test',
      instance_id: 'the instance',
      created_at: '1970-01-01T00:00:01.000Z',
      keys: false,
      records: { executions: 2, meta: 1, tokens: 1 },
      running: 1,
      files: contents.length,
      bytes: contents.reduce((sum, { content }) => sum + content.length, 0),
    });
    expect(size).toBe(statSync(file).size);
    const contentOf = (name: string) => members.find((member) => member.name === name)?.content.toString();
    expect([contentOf(`bodies/${body}`), contentOf(`bodies/${empty}`)]).toEqual(['a body', '']);
    expect(contentOf('db/journal-1.ndjson')).toBe('');
    const db = temporaryFolder();
    writeFileSync(path.join(db, 'manifest.json'), contentOf('db/manifest.json') ?? '');
    expect(await readManifest(db)).toEqual({
      schemaVersion: SCHEMA_VERSION,
      firstJournal: 1,
      decision: 1,
      sequence: 1,
      time: 1_000,
      snapshots: Object.keys(manifest.records),
    });
    await store.close();
  });

  it('of an instance without a record has no id', async () => {
    const folder = temporaryFolder();
    const { write, store } = await openData(path.join(folder, 'data'));
    const { manifest } = await write(path.join(folder, 'all.tar.gz'));
    expect(manifest).toMatchObject({ instance_id: '', records: {}, running: 0, files: 2 });
    await store.close();
  });

  it('contains the key of secret configs on request', async () => {
    const { write, store, file, keyFile } = await filled();
    writeFileSync(keyFile, 'the key');
    const { manifest } = await write(file, true);
    expect(manifest).toMatchObject({ keys: true });
    expect(membersOf(file).at(-2)).toEqual({ name: 'config-key.json', content: Buffer.from('the key') });
    await store.close();
  });

  it('contains each file as it was when the archive started', async () => {
    const { archives, store, file, data } = await filled();
    const log = path.join(data, 'logs', 'ended.ndjson');
    const before = readFileSync(log, 'utf8');
    let progress = 0;
    const onProgress = (): void => {
      // The manifest is written.
      if (progress === 0) appendFileSync(log, 'later');
      progress += 1;
    };
    await archives.write(file, { withKeys: false, onProgress, signal: new AbortController().signal });
    const held = membersOf(file).find(({ name }) => name === 'logs/ended.ndjson');
    expect([held?.content.toString(), readFileSync(log, 'utf8')]).toEqual([before, `${before}later`]);
    await store.close();
  });

  it('releases the folder and closes every file', async () => {
    const { write, store, bodies, logs, file, body, data } = await filled();
    const writing = write(file);
    await Promise.all([bodies.delete(body), logs.delete(['ended'])]);
    expect(filesBelow(data).join()).toContain(body);
    const log = path.join(data, 'logs', 'ended.ndjson');
    await writing;
    expect([isOpen(bodies.path(body)), isOpen(log)]).toEqual([false, false]);
    expect(filesBelow(data).filter((name) => name.includes(body) || name.includes('ended'))).toEqual([]);
    await store.close();
  });

  it('that cannot be written reports the reason, and releases the folder', async () => {
    const { archives, write, store, bodies, file, body, data, folder, keyFile } = await filled();
    await expect(write(path.join(folder, 'missing', 'x'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      detail: { errno: 'ENOENT' },
    });
    mkdirSync(keyFile);
    await expect(write(file, true)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', detail: { errno: 'EISDIR' } });
    const interrupted = new AbortController();
    const reason = new Error('The daemon is stopping.');
    const onProgress = () => interrupted.abort(reason);
    await expect(archives.write(file, { withKeys: false, onProgress, signal: interrupted.signal })).rejects.toBe(
      reason,
    );
    expect(filesBelow(folder).filter((name) => !name.startsWith('data/'))).toEqual([]);
    await bodies.delete(body);
    expect(filesBelow(data).join()).not.toContain(body);
    await store.close();
  });

  it('of damaged records is refused with their file', async () => {
    const folder = temporaryFolder();
    const options = { latestBytes: 0 };
    const first = await openData(path.join(folder, 'data'), options);
    await first.store.transact((tx) => tx.put('executions', executionRecord('e', { executor: 'ana' })));
    await first.store.close();
    const { write, store } = await openData(path.join(folder, 'data'), options);
    const snapshot = path.join(folder, 'data', 'db', 'executions.json');
    writeFileSync(snapshot, readFileSync(snapshot, 'utf8').replace('ana', 'ann'));
    await expect(write(path.join(folder, 'x'))).rejects.toThrow(`${snapshot}, line 2: the checksum does not match`);
    rmSync(snapshot);
    await store.close();
  });
});
