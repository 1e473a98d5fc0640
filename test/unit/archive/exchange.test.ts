// The folders of an exchange of data: what it prepares, what it replaces, what it makes durable, and what it removes.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  beginExchange,
  cancelExchange,
  commitExchange,
  finishExchange,
  PARTS,
} from '../../../daemon/store/archive/exchange.ts';
import { filesBelow } from '../../support/store/archives.ts';
import { onFileHandles } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = (...file: string[]): string => readFileSync(path.join(...file), 'utf8');

/** A folder with old data, and new data that are prepared. */
const make = async (parts: readonly string[] = PARTS) => {
  const data = temporaryFolder();
  for (const part of parts) write(path.join(data, part, 'x'), 'old');
  write(path.join(data, 'runs', 'x'), 'a process');
  write(path.join(data, 'config-key.json'), 'key');
  const next = await beginExchange(data);
  for (const part of PARTS) write(path.join(next, part, 'x'), 'new');
  return { data, next };
};

describe('an exchange', () => {
  it('starts with empty private folders, and leaves nothing when cancelled', async () => {
    const data = temporaryFolder();
    write(path.join(data, 'import.next', 'db', 'rest'), 'of an earlier one');
    const next = await beginExchange(data);
    expect([path.dirname(next), readdirSync(data)]).toEqual([data, [path.basename(next)]]);
    expect(readdirSync(next, { recursive: true }).toSorted()).toEqual(['bodies', 'db', 'logs']);
    expect([next, ...PARTS.map((part) => path.join(next, part))].map(mode)).toEqual(['700', '700', '700', '700']);
    await cancelExchange(data);
    await cancelExchange(data);
    expect(readdirSync(data)).toEqual([]);
  });

  it('replaces all parts and what belongs to running executions, and nothing else', async () => {
    const { data } = await make();
    let decided = '';
    await commitExchange(data, {
      onDecided: () => {
        decided = readdirSync(data).toSorted().join(' ');
      },
    });
    // At the decision, the old data are still there.
    expect(decided).toBe('bodies config-key.json db import.old import.ready logs runs');
    expect(filesBelow(data)).toEqual(['bodies/x', 'config-key.json', 'db/x', 'logs/x']);
    expect(PARTS.map((part) => read(data, part, 'x'))).toEqual(['new', 'new', 'new']);
    expect(readdirSync(data).toSorted()).toEqual(['bodies', 'config-key.json', 'db', 'logs']);
  });

  it('keeps the old data under a name in a private folder, even if a part is missing', async () => {
    const { data } = await make(['db', 'logs']);
    await commitExchange(data, { keep: 'damaged-1' });
    expect(filesBelow(path.join(data, 'damaged-1'))).toEqual(['db/x', 'logs/x']);
    expect([read(data, 'damaged-1', 'db', 'x'), mode(path.join(data, 'damaged-1'))]).toEqual(['old', '700']);
    expect(readdirSync(data).toSorted()).toEqual(['bodies', 'config-key.json', 'damaged-1', 'db', 'logs']);
  });

  it.runIf(process.platform === 'linux')(
    'is on disk before it is committed, and its end is on disk before the old data is removed',
    async () => {
      for (const keep of [undefined, 'kept']) {
        const { data } = await make();
        const synced: string[] = [];
        const end = await onFileHandles('sync', async (real, { fd }) => {
          const name = path.relative(data, readlinkSync(`/proc/self/fd/${fd}`));
          synced.push(`${name || '.'}${existsSync(path.join(data, 'import.old', 'db')) ? ' with old' : ''}`);
          return real();
        });
        await commitExchange(data, {
          ...(keep !== undefined && { keep }),
          onDecided: () => void synced.push('decided'),
        });
        end();
        expect(synced).toEqual([
          ...(keep === undefined ? [] : ['import.next/keep']),
          ...PARTS.map((part) => `import.next/${part}`),
          'import.next',
          'decided',
          '.',
          '. with old',
          keep === undefined ? '. with old' : '.',
        ]);
      }
    },
  );

  it('that was interrupted is finished at the next start: parts that moved stay, others follow', async () => {
    const data = temporaryFolder();
    for (const [name, text] of Object.entries({
      'db/x': 'new',
      'bodies/x': 'old',
      'import.ready/bodies/x': 'new',
      'import.ready/logs/x': 'new',
      'import.ready/keep': 'kept',
      'import.old/db/x': 'old',
      'import.next/rest': '',
    }))
      write(path.join(data, name), text);
    await finishExchange(data);
    expect(filesBelow(data)).toEqual(['bodies/x', 'db/x', 'kept/bodies/x', 'kept/db/x', 'logs/x']);
    expect(PARTS.map((part) => read(data, part, 'x'))).toEqual(['new', 'new', 'new']);
    expect([read(data, 'kept', 'db', 'x'), read(data, 'kept', 'bodies', 'x')]).toEqual(['old', 'old']);
    expect(readdirSync(data).toSorted()).toEqual(['bodies', 'db', 'kept', 'logs']);
  });

  it('keeps old data that is already renamed', async () => {
    const data = temporaryFolder();
    write(path.join(data, 'db', 'x'), 'new');
    write(path.join(data, 'import.ready', 'keep'), 'kept');
    write(path.join(data, 'kept', 'db', 'x'), 'old');
    await finishExchange(data);
    expect(filesBelow(data)).toEqual(['db/x', 'kept/db/x']);
    expect([read(data, 'kept', 'db', 'x'), readdirSync(data).toSorted()]).toEqual(['old', ['db', 'kept']]);
  });

  it('that was never committed leaves the old data, and its prepared files are removed', async () => {
    const { data } = await make();
    write(path.join(data, 'import.old', 'x'), '');
    await finishExchange(data);
    expect(filesBelow(data)).toEqual(['bodies/x', 'config-key.json', 'db/x', 'logs/x', 'runs/x']);
    expect(PARTS.map((part) => read(data, part, 'x'))).toEqual(['old', 'old', 'old']);
    expect(readdirSync(data).filter((name) => name.startsWith('import.'))).toEqual([]);
  });
});
