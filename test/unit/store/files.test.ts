// The files of the store one by one: durable files, private folders and message bodies.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openBodies } from '../../../daemon/store/bodies.ts';
import {
  createDurable,
  openEmpty,
  openToRead,
  readLines,
  writeAt,
  writeDurably,
} from '../../../daemon/store/durable-files.ts';
import { prepareFolder } from '../../../daemon/store/private-folder.ts';
import { makeFolders } from '../../../src/local/folders/make-folders.ts';
import { isOpen, onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('a durable file', () => {
  it('is created private, and written completely even if the system writes fewer bytes per call', async () => {
    const file = path.join(temporaryFolder(), 'a');
    const handle = await createDurable(file);
    await onFileHandles('write', async (_real, { fd }, [data, from, length, position]) => {
      return {
        bytesWritten: writeSync(fd, data as Buffer, from as number, Math.min(2, length as number), position as number),
      };
    });
    let syncs = 0;
    await onFileHandles('datasync', async () => {
      syncs += 1;
    });
    await writeDurably(handle, Buffer.from('hello'), 3);
    await writeAt(handle, Buffer.from('ab'), 0);
    await handle.close();
    expect([readFileSync(file, 'utf8'), mode(file)]).toEqual(['ab\0hello', '600']);
    // On Linux the writes themselves are durable.
    expect(syncs).toBe(process.platform === 'linux' ? 0 : 1);
    await expect(createDurable(file)).rejects.toThrow('EEXIST');
  });

  it('that is opened empty loses its content, and stays private', async () => {
    const file = path.join(temporaryFolder(), 'a');
    for (const text of ['longer', 'new']) {
      const handle = await openEmpty(file);
      await writeAt(handle, Buffer.from(text), 0);
      await handle.close();
    }
    expect([readFileSync(file, 'utf8'), mode(file)]).toEqual(['new', '600']);
    const link = `${file}.link`;
    symlinkSync(file, link);
    for (const opening of [openEmpty, openToRead]) await expect(opening(link)).rejects.toThrow('ELOOP');
  });
});

describe('the lines of a file', () => {
  const MIB = 1024 * 1024;
  const linesOf = async (text: string) => {
    const file = path.join(temporaryFolder(), 'lines');
    writeFileSync(file, text);
    const lines: [number, number, string][] = [];
    const found = await readLines(file, (line, number, offset) => lines.push([number, offset, line.toString()]));
    return { lines, ...found };
  };

  it('are numbered and have offsets, and an incomplete last one is left out', async () => {
    expect(await linesOf('')).toEqual({ lines: [], end: 0, size: 0 });
    expect(await linesOf('a\n\nbc\n')).toEqual({
      lines: [
        [1, 0, 'a'],
        [2, 2, ''],
        [3, 3, 'bc'],
      ],
      end: 6,
      size: 6,
    });
    expect(await linesOf('a\nbc')).toEqual({ lines: [[1, 0, 'a']], end: 2, size: 4 });
  });

  it('may span the chunks in which the file is read, and be longer', async () => {
    const texts = ['x'.repeat(MIB - 1), 'y'.repeat(MIB), 'z'.repeat(2 * MIB + 5), 'end'];
    const { lines, end, size } = await linesOf(`${texts.join('\n')}\n`);
    let offset = 0;
    for (const [index, text] of texts.entries()) {
      const [number, start, line = ''] = lines[index] ?? [];
      expect([number, start, line.length, line === text]).toEqual([index + 1, offset, text.length, true]);
      offset += text.length + 1;
    }
    expect([lines.length, end, size]).toEqual([4, offset, offset]);
  });

  it('contain no bytes of an earlier chunk', async () => {
    const { lines, end, size } = await linesOf(`${'x'.repeat(MIB - 2)}\ny${'z'.repeat(MIB - 2)}`);
    expect([lines.length, end, size]).toEqual([1, MIB - 1, 2 * MIB - 2]);
  });

  it('whose reader fails leave the file closed', async () => {
    const file = path.join(temporaryFolder(), 'lines');
    writeFileSync(file, 'a\n');
    const error = new Error('x');
    const failing = readLines(file, () => {
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(isOpen(file)).toBe(false);
  });
});

describe('a folder', () => {
  it('is created private, with its parents', async () => {
    const base = temporaryFolder();
    const deep = path.join(base, 'a', 'b', 'c');
    await makeFolders(deep);
    expect([deep, path.dirname(deep), path.join(base, 'a')].map(mode)).toEqual(['700', '700', '700']);
    chmodSync(deep, 0o750);
    await makeFolders(deep);
    expect(mode(deep)).toBe('750');
    writeFileSync(path.join(base, 'file'), '');
    await expect(makeFolders(path.join(base, 'file', 'x'))).rejects.toThrow('ENOTDIR');
    await expect(makeFolders('')).rejects.toThrow('ENOENT');
  });

  it('of the data must be private and no link', async () => {
    const base = temporaryFolder();
    const of = (name: string) => path.join(base, name);
    await prepareFolder(of('new'));
    expect(mode(of('new'))).toBe('700');
    writeFileSync(of('file'), '');
    symlinkSync(of('new'), of('link'));
    mkdirSync(of('wide'));
    const refused = (name: string, why: string, advice: string) =>
      expect(prepareFolder(of(name))).rejects.toMatchObject({
        message: `The data folder is refused: ${of(name)} ${why}. ${advice}`,
      });
    await refused('file', 'is not a folder', 'Remove it, or choose another folder.');
    await refused('link', 'is a symbolic link', 'Use the folder it points to.');
    for (const bits of [0o720, 0o702, 0o777]) {
      chmodSync(of('wide'), bits);
      await refused(
        'wide',
        `can be written by other users (mode ${bits.toString(8)})`,
        `If you trust its content: chmod 700 ${of('wide')}`,
      );
    }
    chmodSync(of('wide'), 0o755);
    await prepareFolder(of('wide'));
    const uid = process.getuid?.() ?? 0;
    vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
    await refused(
      'new',
      `belongs to user ${uid}, not to you (${uid + 1})`,
      'Choose a folder of your own, or start the daemon as that user.',
    );
    await expect(prepareFolder(path.join(of('file'), 'x'))).rejects.toThrow('ENOTDIR');
  });
});

describe('message bodies', () => {
  const opened = async () => {
    const folder = temporaryFolder();
    const bodies = await openBodies({ folder });
    return { bodies, names: () => readdirSync(path.join(folder, 'bodies')), folder };
  };

  it('are written in pieces, and give their size and digest', async () => {
    const { bodies, names } = await opened();
    const body = await bodies.begin();
    for (const piece of ['ab', 'cde']) await body.write(Buffer.from(piece));
    const sha256 = '36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c';
    expect(await body.finish()).toEqual({ name: body.name, size: 5, sha256 });
    expect([(await bodies.read(body.name)).toString(), names()]).toEqual(['abcde', [body.name]]);
    expect(isOpen(bodies.path(body.name))).toBe(false);
    const { pieces, close } = await bodies.open(body.name);
    let text = '';
    for await (const piece of pieces) text += String(piece);
    expect(text).toBe('abcde');
    close();
    const early = await bodies.open(body.name);
    early.close();
    expect((early.pieces as never as { destroyed: boolean }).destroyed).toBe(true);
  });

  it('that are discarded leave no file', async () => {
    const { bodies, names } = await opened();
    const body = await bodies.begin();
    await body.write(Buffer.from('x'));
    expect(names()).toHaveLength(1);
    await body.discard();
    await body.discard();
    expect(names()).toEqual([]);
  });

  it('that the disk refuses leave no file, and the error names the reason', async () => {
    for (const method of ['write', 'sync'] as const) {
      const { bodies, names } = await opened();
      const body = await bodies.begin();
      const end = await onFileHandles(method, (real) => real().then(() => Promise.reject(systemError('ENOSPC'))));
      const stored = body.write(Buffer.from('x')).then(() => body.finish());
      await expect(stored).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', detail: { errno: 'ENOSPC' } });
      end();
      expect([names(), isOpen(bodies.path(body.name))]).toEqual([[], false]);
    }
    const { bodies, folder } = await opened();
    rmSync(path.join(folder, 'bodies'), { recursive: true });
    await expect(bodies.begin()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', detail: { errno: 'ENOENT' } });
  });

  it('are readable only by the owner, in a folder of their own, and other files are not swept', async () => {
    const { bodies, names, folder } = await opened();
    const name = await bodies.put(Buffer.from('x'));
    expect([mode(bodies.path(name)), mode(path.join(folder, 'bodies'))]).toEqual(['600', '700']);
    writeFileSync(path.join(folder, 'bodies', 'notes'), '');
    await bodies.sweep(new Set());
    expect(names()).toEqual(['notes']);
    expect(() => bodies.path('notes')).toThrow('This is not a valid name of a stored message body.');
  });

  it('are durable with their names', async () => {
    const synced: boolean[] = [];
    await onFileHandles('sync', async (real, handle) => {
      synced.push((await handle.stat()).isDirectory());
      return real();
    });
    const { bodies } = await opened();
    expect(synced.splice(0)).toEqual([true]);
    await bodies.put(Buffer.from('x'));
    expect(synced).toEqual([false, true]);
  });
});
