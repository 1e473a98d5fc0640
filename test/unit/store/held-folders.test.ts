// Bodies and logs while an archive holds them: the files at that moment stay, and later ones are excluded.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HeldFolder } from '../../../daemon/store/archive/held-folder.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { exists } from '../../../daemon/store/durable-files.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { handClock, rememberingLogger, temporaryFolder, until } from '../../support/store/store-fixtures.ts';

const namesIn = async (held: HeldFolder): Promise<string[]> => (await held.files()).map(({ name }) => name).toSorted();

describe('held bodies', () => {
  it('are those that were finished at the moment', async () => {
    const folder = temporaryFolder();
    const bodies = await openBodies({ folder });
    writeFileSync(path.join(folder, 'bodies', 'notes'), '');
    const finished = await bodies.put(Buffer.from('four'));
    const unfinished = await bodies.begin();
    await unfinished.write(Buffer.from('x'));
    const held = bodies.hold();
    await unfinished.finish();
    await bodies.put(Buffer.from('later'));
    expect(await held.files()).toEqual([{ name: finished, size: 4 }]);
    expect(readFileSync(held.path(finished), 'utf8')).toBe('four');
    const second = bodies.hold();
    expect(await namesIn(second)).toHaveLength(3);
    await held.release();
    await second.release();
  });

  it('stay until the last release, and an unfinished one is discarded then', async () => {
    const bodies = await openBodies({ folder: temporaryFolder() });
    const name = await bodies.put(Buffer.from('x'));
    const unfinished = await bodies.begin();
    const held = bodies.hold();
    await bodies.delete(name);
    await unfinished.discard();
    expect(await namesIn(held)).toEqual([name]);
    await held.release();
    expect(await Promise.all([name, unfinished.name].map((each) => exists(bodies.path(each))))).toEqual([false, false]);
    await bodies.delete(await bodies.put(Buffer.from('y')));
    const after = bodies.hold();
    expect(await namesIn(after)).toEqual([]);
    await after.release();
  });
});

describe('held logs', () => {
  const make = async () => {
    const folder = temporaryFolder();
    const logs = await openLogs({ folder, clock: handClock(5), logger: rememberingLogger() });
    const write = async (id: string, text: string) => {
      const log = logs.open(id);
      log.write('stdout', Buffer.from(text));
      await log.close();
    };
    const textsOf = async (held: HeldFolder) =>
      Object.fromEntries(
        (await held.files()).map(({ name, size, content }) => [
          name,
          `${size} ${content?.toString() ?? readFileSync(held.path(name), 'utf8')}`,
        ]),
      );
    return { logs, write, textsOf, file: (name: string) => path.join(folder, 'logs', name) };
  };
  const line = (text: string): string => `[5,"o","${text}"]\n`;
  const sized = (...texts: string[]): string => `${texts.map(line).join('').length} ${texts.map(line).join('')}`;

  it('of ended executions are whole, and files of other names are left out', async () => {
    const { logs, write, textsOf, file } = await make();
    await write('ended', 'all');
    for (const name of ['notes', 'a b.ndjson', 'ended.ndjson.bak']) writeFileSync(file(name), 'x');
    mkdirSync(file('folder'));
    const held = logs.hold(new Set());
    await write('later', 'x');
    expect(await textsOf(held)).toEqual({ 'ended.ndjson': sized('all') });
    await logs.delete(['ended']);
    expect(await exists(file('ended.ndjson'))).toBe(true);
    await held.release();
    expect(await exists(file('ended.ndjson'))).toBe(false);
  });

  it('of running executions have the whole lines that were written', async () => {
    const { logs, write, textsOf, file } = await make();
    const running = logs.open('runs');
    running.write('stdout', Buffer.from('so far'));
    await until(async () => (await logs.read('runs')) === 'so far');
    await write('recovered', 'before');
    writeFileSync(file('torn.ndjson'), `${line('whole')}[5,"o","cut`);
    const held = logs.hold(new Set(['runs', 'recovered', 'torn']));
    running.write('stdout', Buffer.from('later'));
    await running.close();
    expect(await textsOf(held)).toEqual({
      'runs.ndjson': sized('so far'),
      'recovered.ndjson': sized('before'),
      'torn.ndjson': sized('whole'),
    });
    await held.release();
  });

  it('of running executions without output are the earlier ones, unless later output replaced these', async () => {
    const { logs, write, textsOf } = await make();
    for (const id of ['silent', 'talks', 'closed']) await write(id, 'earlier');
    const [silent, talks, closed] = await Promise.all(['silent', 'talks', 'closed'].map((id) => logs.resume(id)));
    const held = logs.hold(new Set(['silent', 'talks', 'closed']));
    for (const log of [talks, closed]) log?.write('stdout', Buffer.from('later'));
    await closed?.close();
    await until(async () => (await logs.read('talks')) === 'later');
    expect(await textsOf(held)).toEqual({
      'silent.ndjson': sized('earlier'),
      'talks.ndjson': '0 ',
      'closed.ndjson': '0 ',
    });
    await held.release();
    // A later hold has the lines.
    const next = logs.hold(new Set(['talks', 'closed']));
    expect(await textsOf(next)).toMatchObject({ 'talks.ndjson': sized('later'), 'closed.ndjson': sized('later') });
    await next.release();
    for (const log of [silent, talks]) await log?.close();
  });
});
