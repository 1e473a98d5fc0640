// The daemon's log holds no secret and no forged line, and its file is private.
import fs, {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../daemon/process/logging.ts';

describe("the daemon's log", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'actorctl-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A log of this file to which one line was written. */
  const logged = (file: string, fields: Readonly<Record<string, unknown>>, message = 'up'): void => {
    const log = createLogger({ file, level: 'info' });
    log.info(fields, message);
    log.flush();
  };

  const lines = (file: string) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('R156 masks passwords, secrets, tokens, nonces, cookies and Authorization at any depth', () => {
    const file = join(folder, 'daemon.log');
    const secret = 'S3CRET-VALUE';
    logged(
      file,
      {
        password: secret,
        headers: { Authorization: `Bearer ${secret}`, cookie: secret },
        client: { consumerSecret: secret, access_token: secret },
        'x-nonce': secret,
        user: 'ana',
      },
      'login ok',
    );
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(lines(file)[0]).toMatchObject({ level: 'info', user: 'ana', password: '[masked]', msg: 'login ok' });
  });

  it('R157 escapes values that could forge a line or control a terminal', () => {
    const file = join(folder, 'daemon.log');
    logged(file, { name: 'a\n{"level":"info"}\u001b[31m\u2028\u0085\u007f' }, 'x\ny');
    const raw = readFileSync(file, 'utf8');
    expect(raw.split('\n')).toHaveLength(2);
    for (const code of [0x1b, 0x2028, 0x85, 0x7f]) expect(raw.includes(String.fromCharCode(code))).toBe(false);
  });

  it('R157 limits the length of a field', () => {
    const file = join(folder, 'daemon.log');
    logged(file, { name: 'x'.repeat(1_000_000) }, 'long');
    expect(readFileSync(file).length).toBeLessThan(10_000);
  });

  it('R158 R142 creates its file with mode 0600 and refuses a symbolic link', () => {
    const file = join(folder, 'daemon.log');
    logged(file, {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder, 'elsewhere'), '');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link.log'));
    expect(() => createLogger({ file: join(folder, 'link.log'), level: 'info' })).toThrow(/ELOOP/);
  });

  it('rotates a large log to another file and continues in a new one', () => {
    const file = join(folder, 'daemon.log');
    writeFileSync(file, 'x'.repeat(17 * 1024 * 1024));
    logged(file, {});
    expect(lines(file)).toHaveLength(1);
    expect(statSync(`${file}.1`).size).toBe(17 * 1024 * 1024);
  });

  it.each([
    ['was removed', (file: string) => rmSync(file)],
    ['cannot be renamed', (file: string) => mkdirSync(`${file}.1`)],
  ])('continues when a large log %s, and closes no foreign file', (_, happens) => {
    const file = join(folder, 'daemon.log');
    writeFileSync(file, 'x'.repeat(17 * 1024 * 1024));
    const log = createLogger({ file, level: 'info' });
    happens(file);
    log.info({}, 'one');
    log.flush();
    const others = Array.from({ length: 8 }, (__, index) => openSync(join(folder, `other${index}`), 'w'));
    for (const text of ['two', 'three']) log.info({}, text);
    log.flush();
    for (const other of others) closeSync(other);
    const text = readFileSync(file, 'utf8').slice(-1_000);
    for (const each of ['one', 'two', 'three']) expect(text).toContain(`"msg":"${each}"`);
  });

  it('R159 writes the lines of a turn together at its end, but warnings and security events at once', async () => {
    const file = join(folder, 'daemon.log');
    const log = createLogger({ file, level: 'info' });
    const messages = () => (readFileSync(file, 'utf8') === '' ? [] : lines(file).map(({ msg }) => msg));
    log.info({}, 'one');
    log.info({}, 'two');
    expect(messages()).toEqual([]);
    await setImmediate();
    expect(messages()).toEqual(['one', 'two']);
    log.info({}, 'three');
    log.warn({}, 'four');
    expect(messages()).toEqual(['one', 'two', 'three', 'four']);
    log.info({ event: 'login' }, 'five');
    expect(messages()).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  /** Simulates a disk that accepts this many bytes of the next writes, and then refuses. */
  const withRoom = (bytes: number, work: () => void): void => {
    const { writeSync } = fs;
    let room = bytes;
    const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: Buffer, from: number) => {
      const count = Math.min(room, data.length - from);
      if (count === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      room -= count;
      return writeSync(fd, data, from, count);
    }) as typeof fs.writeSync);
    syncBuiltinESMExports();
    work();
    spy.mockRestore();
    syncBuiltinESMExports();
  };
  const lossesIn = (file: string) => lines(file).map(({ msg, linesLost }) => [msg, linesLost]);

  it('reports the number of lines that the disk refused in the next line', () => {
    const file = join(folder, 'daemon.log');
    const log = createLogger({ file, level: 'info' });
    withRoom(0, () => {
      log.info({}, 'one');
      log.info({}, 'two');
      log.flush();
      log.warn({}, 'three');
    });
    for (const text of ['four', 'five']) log.info({}, text);
    log.flush();
    expect(lossesIn(file)).toEqual([
      ['four', 3],
      ['five', undefined],
    ]);
  });

  it('starts a new line after a partially written one', () => {
    const file = join(folder, 'daemon.log');
    const log = createLogger({ file, level: 'info' });
    log.info({}, 'one');
    log.flush();
    const { size } = statSync(file);
    withRoom(size + 20, () => {
      for (const text of ['two', 'six', 'ten']) log.info({}, text);
      log.flush();
      log.warn({}, 'not this');
    });
    for (const text of ['four', 'five']) log.info({}, text);
    log.flush();
    const text = readFileSync(file, 'utf8');
    const torn = text.split('\n').filter((line) => line !== '' && !line.endsWith('}'));
    expect(torn.map((line) => line.length)).toEqual([20]);
    writeFileSync(file, text.replace(`${torn[0]}\n`, ''));
    expect(lossesIn(file)).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['four', 3],
      ['five', undefined],
    ]);
  });

  it('writes entries of its level and above, with time and message', () => {
    const file = join(folder, 'daemon.log');
    const log = createLogger({ file, level: 'warn' });
    log.info({}, 'not this');
    log.warn({ error: new Error('disk') }, 'this');
    const [line, ...rest] = lines(file);
    expect(rest).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', msg: 'this', error: { name: 'Error', message: 'disk' } });
    expect(String(line?.['time'])).toMatch(/^\d{4}-\d\d-\d\dT/);
  });
});
