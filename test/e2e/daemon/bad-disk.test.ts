// Disk faults of the built daemon: a disk that is read-only or full, and data that is damaged or too new. Needs no
// container engine.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seal } from '../../../daemon/store/journal/sealed-line.ts';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
  until,
} from '../../support/daemon/daemon.ts';
import { mounting, smallDisk } from '../../support/daemon/mounts.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const daemons: BuiltDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.remove();
});

const made = (flags: readonly string[] = []): BuiltDaemon => {
  const daemon = builtDaemon({ flags });
  daemons.push(daemon);
  return daemon;
};

/**
 * Names, modes, sizes and contents of everything below a folder, except the lock, because a dead daemon's lock is taken
 * over.
 */
const fingerprint = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(({ name }) => name !== 'lock')
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size } = statSync(path);
      const content = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
      return `${path} ${mode.toString(8)} ${entry.isFile() ? size : ''} ${content}`;
    })
    .sort();

describeIf(mounting(), 'a disk error', () => {
  it('a start on a read-only data folder fails with a clear error and exit code 9', async () => {
    const disk = smallDisk('4m');
    const folder = join(disk.folder, 'data');
    const daemon = made(['--data-dir', folder]);
    await daemon.start();
    await daemon.stop();
    const before = fingerprint(folder);
    disk.readOnly(true);
    const word = await daemon.launch();
    expect(word).toMatchObject({ ready: false, error: { code: 'DATA_UNWRITABLE' } });
    expect(word.error?.message).toContain(folder);
    expect(word.error?.message).toMatch(/read-only/);
    const { code, stderr } = await daemon.exit();
    expect(code).toBe(9);
    expect(stderr.trim().split('\n')).toEqual([`actorctld: ${word.error?.message}`]);
    expect(fingerprint(folder)).toEqual(before);
  });

  it('on a full disk, writes fail with 503 without a change, reads work, and writes work again once there is space', async () => {
    const disk = smallDisk('2m');
    const daemon = made(['--data-dir', join(disk.folder, 'data')]);
    await daemon.start();
    await daemon.admit();
    const actor = await register(daemon, { image: scriptImage(daemon, 'echo ran $MSG') });
    const first = await send(daemon, actor, { body: 'before' });
    await reaches(daemon, actor, first);
    const state = async () => [
      // The daemon's own write that a new actor is ready may still fit where a request did not.
      Object.values((await daemon.ask('GET', '/actors/v2')).result)
        .map((each) => Object(each))
        .map((each) => (each.id === actor ? each : { ...each, status: '' })),
      (await daemon.ask('GET', `/actors/v2/${actor}/messages`)).result['messages'],
      (await daemon.ask('GET', `/actors/v2/${actor}/executions`)).result['executions'],
    ];
    const filler = join(disk.folder, 'filler');
    const fill = () => {
      for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        }
      }
    };
    fill();
    const before = await state();
    const register503 = () => daemon.ask('POST', '/actors/v2', { json: { image: scriptImage(daemon, 'true') } });
    // The rest of the journal's last block may still take some writes.
    let refused = await register503();
    let known = before;
    while (refused.status === 200) {
      fill();
      known = await state();
      refused = await register503();
    }
    expect(refused.status).toBe(503);
    expect(refused.headers['x-failure-code']).toBe('STORE_UNAVAILABLE');
    expect(refused.json).toMatchObject({ status: 'error', message: expect.stringMatching(/full/) });
    const message = await daemon.ask('POST', `/actors/v2/${actor}/messages`, {
      body: 'x'.repeat(300_000),
      headers: { 'content-type': 'text/plain' },
    });
    expect(message.status).toBe(503);
    expect(await state()).toEqual(known);
    expect(await logsOf(daemon, actor, first)).toBe('ran before\n');
    const { store } = await daemon.manage('daemon.status');
    expect(store).toMatchObject({ writable: false, reason: expect.stringMatching(/full/) });
    rmSync(filler);
    await until(async () => (await register503()).status === 200, 200);
    const last = await send(daemon, actor, { body: 'after' });
    expect(await reaches(daemon, actor, last)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(await logsOf(daemon, actor, last)).toBe('ran after\n');
    await daemon.kill();
    await daemon.start();
    expect(await logsOf(daemon, actor, last)).toBe('ran after\n');
  });
});

describe('an invalid data folder', () => {
  const used = async (): Promise<BuiltDaemon> => {
    const daemon = made();
    await daemon.start();
    await daemon.admit();
    for (let n = 0; n < 3; n += 1) await register(daemon, { image: scriptImage(daemon, 'true'), name: `actor ${n}` });
    await daemon.kill();
    return daemon;
  };

  const refuses = async (daemon: BuiltDaemon, code: string): Promise<string> => {
    const before = fingerprint(daemon.dataDir);
    const word = await daemon.launch();
    expect(word).toMatchObject({ ready: false, error: { code } });
    expect((await daemon.exit()).code).toBe(9);
    expect(fingerprint(daemon.dataDir)).toEqual(before);
    return word.error?.message ?? '';
  };

  it('that is damaged is refused with exit code 9 and the file and line, and is left unchanged', async () => {
    const daemon = await used();
    const [name = ''] = readdirSync(daemon.dataDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /journal-\d+\.ndjson$/.test(file),
    );
    const file = join(daemon.dataDir, name);
    const bytes = readFileSync(file);
    const lines = bytes.toString().split('\n');
    const at = Buffer.byteLength(`${lines.slice(0, 2).join('\n')}\n`) + 20;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const said = await refuses(daemon, 'DATA_DAMAGED');
    expect(said).toContain(file);
    expect(said).toContain('line 3');
  });

  it('of a newer version is refused and left unchanged', async () => {
    const daemon = await used();
    const [name = ''] = readdirSync(daemon.dataDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('manifest.json'),
    );
    const file = join(daemon.dataDir, name);
    const [manifest] = JSON.parse(readFileSync(file, 'utf8')) as [Record<string, unknown>];
    writeFileSync(file, `${seal(`[${JSON.stringify({ ...manifest, schemaVersion: 9_999 })}`)}\n`);
    expect(await refuses(daemon, 'DATA_TOO_NEW')).toContain('9999');
  });
});
