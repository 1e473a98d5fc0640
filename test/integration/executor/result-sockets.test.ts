// The result sockets of runs, with the real receiver in both of its languages.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { receiverPrograms } from '../../../daemon/executor/results/programs.ts';
import { createResultSockets, type ResultSockets } from '../../../daemon/executor/results/sockets.ts';
import { oddBytes, sendDatagrams } from '../../support/engine/datagrams.ts';

const ID = 'A123456789012';
const OTHER = 'B123456789012';

let folder: string;
let sockets: ResultSockets | undefined;
let got: [string, Buffer][];
let warned: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'results-'));
  got = [];
  warned = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sockets?.close({ removeAll: true });
  sockets = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const build = (more: Partial<Parameters<typeof createResultSockets>[0]> = {}): ResultSockets => {
  const note = (fields: object, message: string) => void warned.push(`${message} ${JSON.stringify(fields)}`);
  sockets = createResultSockets({
    folder: join(folder, 'x'),
    deliver: async (id, bytes) => void got.push([id, Buffer.from(bytes)]),
    logger: { debug: () => undefined, info: () => undefined, warn: note, error: note },
    ...more,
  });
  return sockets;
};

const texts = () => got.map(([id, bytes]) => [id, bytes.toString()]);

describe.each(receiverPrograms.map((program) => ({ program, name: program.command })))(
  'result sockets received by $name',
  ({ program }) => {
    const killReceiver = (): void => {
      const [pid] = execFileSync('pgrep', ['-P', String(process.pid), program.command === 'perl' ? 'perl' : 'python'])
        .toString()
        .split('\n');
      process.kill(Number(pid), 'SIGKILL');
    };

    it('deliver every datagram unsplit and in order before a drain ends', async () => {
      const open = build({ programs: [program] });
      const [mine, other] = [await open.open(ID), await open.open(OTHER)];
      expect(await sendDatagrams(mine ?? '', 'one', '', 'bytes:131072', 'two')).toBe('');
      expect(await sendDatagrams(other ?? '', 'elsewhere')).toBe('');
      await Promise.all([open.drain(ID), open.drain(OTHER)]);
      const ofMine = got.filter(([id]) => id === ID).map(([, bytes]) => bytes);
      expect(ofMine.map(({ length }) => length)).toEqual([3, 131_072, 3]);
      expect(ofMine[1]?.equals(oddBytes(131_072))).toBe(true);
      expect(got.filter(([id]) => id === OTHER)).toHaveLength(1);
    });

    it('are writable for every user only if they are shared, in a folder that only this user can enter', async () => {
      const open = build({ programs: [program] });
      const path = (await open.open(ID)) ?? '';
      const shared = (await open.open(OTHER, { openToAll: true })) ?? '';
      const modes = [path, shared].map((each) => (statSync(each).mode & 0o777).toString(8));
      expect(modes).toEqual(['600', '777']);
      expect((statSync(join(folder, 'x')).mode & 0o777).toString(8)).toBe('700');
    });

    it('hold more than a kernel queue, because senders wait', async () => {
      const open = build({ programs: [program] });
      const path = (await open.open(ID)) ?? '';
      const many = Array.from({ length: 2_000 }, (_, index) => `result ${index}`);
      expect(await sendDatagrams(path, ...many)).toBe('');
      await open.drain(ID);
      expect(texts()).toEqual(many.map((text) => [ID, text]));
    });

    it('are removed with the last run of their execution', async () => {
      const open = build({ programs: [program] });
      const path = (await open.open(ID)) ?? '';
      expect(await open.open(ID)).toBe(path);
      open.release(ID);
      expect(await sendDatagrams(path, 'still there')).toBe('');
      open.release(ID);
      await expect.poll(() => existsSync(path)).toBe(false);
    });

    it('are opened for an execution and not in advance', async () => {
      const open = build({ programs: [program] });
      await open.open(ID);
      await open.drain(ID);
      expect(readdirSync(join(folder, 'x'))).toEqual([ID]);
      open.release(ID);
      expect(readdirSync(join(folder, 'x'))).toEqual([]);
    });

    it.each(['nothing', 'a drain'])(
      'work if a socket of the same execution was released in the same turn of the event loop as %s',
      async (beside) => {
        const open = build({ programs: [program] });
        for (const round of [1, 2, 3]) {
          if (beside === 'a drain') void open.drain(ID);
          open.release(ID);
          expect(await open.open(ID)).toBe(join(folder, 'x', ID));
          expect(await sendDatagrams(join(folder, 'x', ID), `round ${round}`)).toBe('');
          await open.drain(ID);
        }
        expect(texts()).toEqual([1, 2, 3].map((round) => [ID, `round ${round}`]));
      },
    );

    it('are created again under the same path after the receiver was killed', async () => {
      const open = build({ programs: [program] });
      const path = (await open.open(ID)) ?? '';
      killReceiver();
      // A datagram that the dying receiver still accepts is lost, so the test sends until one arrives.
      const received = async () => {
        await sendDatagrams(path, 'after');
        await open.drain(ID);
        return texts();
      };
      await expect.poll(received).toContainEqual([ID, 'after']);
    });
  },
);

describe('result sockets', () => {
  it('are not created if no receiver is available, and the reason is reported', async () => {
    const open = build({
      programs: [
        { command: 'no-such-program', args: [] },
        { command: 'false', args: [] },
      ],
    });
    expect(await open.open(ID)).toBeUndefined();
    expect(await open.open(OTHER)).toBeUndefined();
    expect(await open.problem()).toMatch(/need perl or python3 \(no-such-program: .*ENOENT; false: .*exit code 1\)/);
    expect(warned).toHaveLength(1);
    await open.drain(ID);
  });

  it('are created once a receiver can be started, which is tried again after a minute', async () => {
    const [program] = receiverPrograms;
    const command = join(folder, 'interpreter');
    const open = build({ programs: [{ command, args: program?.args ?? [] }] });
    expect(await open.open(ID)).toBeUndefined();
    symlinkSync(execFileSync('which', [program?.command ?? ''], { encoding: 'utf8' }).trim(), command);
    expect(await open.open(ID)).toBeUndefined();
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 60_000);
    // Both use one receiver.
    const [path, other] = await Promise.all([open.open(ID), open.open(OTHER)]);
    expect(await sendDatagrams(path ?? '', 'one')).toBe('');
    await open.drain(ID);
    expect(await sendDatagrams(other ?? '', 'two')).toBe('');
    await open.drain(OTHER);
    expect([await open.problem(), warned.length]).toEqual([undefined, 1]);
    expect(texts()).toEqual([
      [ID, 'one'],
      [OTHER, 'two'],
    ]);
  });

  it.each(receiverPrograms)(
    'are created by $command at paths above the limit, and removed with their folder',
    async (program) => {
      const long = join(folder, 'l'.repeat(100), 'x');
      expect(await build({ folder: long, programs: [program] }).open(ID)).toBe(join(long, ID));
      // A short path of the same socket.
      symlinkSync(long, join(folder, 's'));
      expect(await sendDatagrams(join(folder, 's', ID), 'far')).toBe('');
      await sockets?.drain(ID);
      expect(texts()).toEqual([[ID, 'far']]);
      await sockets?.close({ removeAll: false });
      expect(existsSync(long)).toBe(true);
      await sockets?.close({ removeAll: true });
      expect(existsSync(long)).toBe(false);
    },
  );

  it('are not created in a folder that others can write to', async () => {
    mkdirSync(join(folder, 'shared'));
    execFileSync('chmod', ['777', join(folder, 'shared')]);
    const open = build({ folder: join(folder, 'shared', 'x') });
    expect(await open.open(ID)).toBeUndefined();
    expect(await open.problem()).toMatch(/shared: it belongs to user \d+, but other users can write to it/);
  });

  it('report refused datagrams once, and continue', async () => {
    const open = build({
      deliver: async (_, bytes) => {
        if (bytes.length > 3) throw new Error('too many wait');
        got.push([ID, Buffer.from(bytes)]);
      },
    });
    const path = (await open.open(ID)) ?? '';
    await sendDatagrams(path, 'refused', 'refused again', 'yes');
    await open.drain(ID);
    expect(texts()).toEqual([[ID, 'yes']]);
    expect(warned).toEqual([expect.stringMatching(/cannot store a result; it is dropped .*too many wait/)]);
  });
});
