// The files in which a run returns a result and its state: how they are made, and what of them is believed afterwards.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOutputFiles, outputBytes, readOutputFiles } from '../../../daemon/executor/outputs/output-files.ts';
import { createOutputShelf } from '../../../daemon/executor/outputs/output-shelf.ts';
import { quietLogger } from '../../support/engine/docker.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'actorctl-outputs-'));
  folder = join(home, 'run');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const LIMITS = { resultBytes: 10, stateBytes: 20 };
const make = async (state = '{"n":1}') => {
  const { result, state: stateFile = '' } = await makeOutputFiles(folder, { state }, 0o666);
  return { result, state: stateFile };
};
const read = () => readOutputFiles(folder, LIMITS);
const bytes = (text: string) => ({ bytes: Buffer.from(text) });

describe('output files', () => {
  it('are open to every user in a folder that is closed to others, whatever the umask', async () => {
    const before = process.umask(0o077);
    const files = await make().finally(() => process.umask(before));
    expect([files.result, files.state].map((file) => statSync(file).mode & 0o777)).toEqual([0o666, 0o666]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect([readFileSync(files.result, 'utf8'), readFileSync(files.state, 'utf8')]).toEqual(['', '{"n":1}']);
  });

  it('return nothing if the run did not write, or there was no run', async () => {
    expect(await read()).toEqual({});
    await make();
    expect(await read()).toEqual({});
  });

  it('return a result with unchanged bytes, and a state without white space around it', async () => {
    const { result, state } = await make();
    writeFileSync(result, Buffer.from([0, 255, 10, 32]));
    writeFileSync(state, '\n {"n":2}\r\n\t');
    expect(await read()).toEqual({ result: { bytes: Buffer.from([0, 255, 10, 32]) }, state: bytes('{"n":2}') });
  });

  it.each([
    ['the same text', '{"n":1}', '{"n":1}'],
    ['the same text and a line end', '{"n":1}', '{"n":1}\n'],
    ['a state that began with white space', ' {"n":1} ', '{"n":1}'],
  ])('do not return a state that was written again: %s', async (_name, given, written) => {
    const { state } = await make(given);
    writeFileSync(state, written);
    expect(await read()).toEqual({});
  });

  it('return a state that was emptied or changed by one byte', async () => {
    const { state } = await make();
    writeFileSync(state, '');
    expect(await read()).toEqual({ state: bytes('') });
    writeFileSync(state, '{"n":2}');
    expect(await read()).toEqual({ state: bytes('{"n":2}') });
  });

  it('take up to the limits and not a byte more, also in a sparse file of a terabyte', async () => {
    const { result, state } = await make();
    writeFileSync(result, 'x'.repeat(10));
    writeFileSync(state, 'x'.repeat(20));
    expect(await read()).toEqual({ result: bytes('x'.repeat(10)), state: bytes('x'.repeat(20)) });
    writeFileSync(result, 'x'.repeat(11));
    truncateSync(state, 1024 ** 4);
    expect(await read()).toEqual({
      result: { fault: 'the file has more than 10 bytes' },
      state: { fault: 'the file has more than 20 bytes' },
    });
    expect(await outputBytes(folder)).toBeLessThan(1024 * 1024);
  });

  it('count with the bytes that they take up on the disk', async () => {
    const { result } = await make();
    writeFileSync(result, Buffer.alloc(3_000_000, 1));
    expect(await outputBytes(folder)).toBeGreaterThanOrEqual(3_000_000);
    expect(await outputBytes(join(home, 'none'))).toBe(0);
  });

  const replaced: readonly (readonly [string, (file: string, other: string) => void, string])[] = [
    ['a symbolic link', (file, other) => symlinkSync(other, file), 'the file was replaced by a symbolic link'],
    ['a dangling link', (file) => symlinkSync('/no/such/file', file), 'the file was replaced by a symbolic link'],
    ['a hard link', (file, other) => linkSync(other, file), 'the file has a second name (a hard link)'],
    ['a folder', (file) => mkdirSync(file), 'the file was replaced by something that is not a regular file'],
    [
      'a FIFO without a writer',
      (file) => execFileSync('mkfifo', [file]),
      'the file was replaced by something that is not a regular file',
    ],
    ['nothing', () => undefined, 'the file was deleted'],
  ];
  it.each(replaced)('are not read through %s', async (_name, replace, fault) => {
    const secret = join(home, 'secret');
    writeFileSync(secret, 'secret');
    for (const file of Object.values(await make())) {
      rmSync(file);
      replace(file, secret);
    }
    expect(await read()).toEqual({ result: { fault }, state: { fault } });
  });

  it('are not read from a folder that was replaced by a link', async () => {
    await make();
    renameSync(folder, join(home, 'moved'));
    writeFileSync(join(home, 'moved', 'result'), 'moved');
    symlinkSync(join(home, 'moved'), folder);
    expect(await read()).toEqual({});
  });

  it('are read if a process replaced one by renaming another over it', async () => {
    const { result } = await make();
    writeFileSync(`${result}.new`, 'new');
    renameSync(`${result}.new`, result);
    chmodSync(result, 0o600);
    expect(await read()).toEqual({ result: bytes('new') });
  });
});

describe('the folders of output files', () => {
  const shelf = () => createOutputShelf({ folder: join(home, 'shelf'), logger: quietLogger() });

  it('are made anew for the same run, and removed with it', async () => {
    const own = shelf();
    writeFileSync((await own.make('a', {})).result, 'old');
    expect(await own.make('a', {})).toEqual({ result: join(home, 'shelf', 'a', 'result') });
    expect(await own.read('a', LIMITS)).toEqual({});
    await own.remove('a');
    expect(existsSync(join(home, 'shelf', 'a'))).toBe(false);
    await own.remove('a');
  });

  it('are swept once, except those of existing runs and of runs that this daemon makes', async () => {
    const earlier = shelf();
    for (const ref of ['kept', 'lost']) await earlier.make(ref, {});
    const own = shelf();
    await own.make('new', {});
    await own.sweep(['kept']);
    const left = () => ['kept', 'lost', 'new'].filter((ref) => existsSync(join(home, 'shelf', ref)));
    expect(left()).toEqual(['kept', 'new']);
    await own.sweep([]);
    expect(left()).toEqual(['kept', 'new']);
  });
});
