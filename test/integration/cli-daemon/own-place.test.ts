// Sockets and files between processes of one user: paths of any length, and no file that another user could have
// created.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectOwn, listenOwn, readOwnJson, requireOwnFolder } from '../../../src/local/own-place.ts';
import { runLines } from '../../support/daemon/child-lines.ts';
import { mounting } from '../../support/daemon/mounts.ts';
import { users } from '../../support/local/second-user.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** A user id that no test process has. */
const STRANGER = 64_999;

let folder: string;
let socket: string;
let accepted: number;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-own-'));
  socket = join(folder, 'state', 'daemon.sock');
  mkdirSync(dirname(socket), { mode: 0o700 });
  accepted = 0;
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const listening = async (at = socket) => {
  const server = createServer((connection) => {
    accepted += 1;
    connection.destroy();
  });
  servers.push(server);
  return listenOwn(server, at);
};

const expectRefused = (words: string) => {
  expect(() => connectOwn(socket)).toThrow(words);
  expect(accepted).toBe(0);
};

const far = () => join(folder, 'l'.repeat(100), 'm'.repeat(100), 'daemon.sock');

it('R143 a socket and a file work at a path above the limit', async () => {
  mkdirSync(dirname(far()), { recursive: true, mode: 0o700 });
  const json = join(dirname(far()), 'daemon.json');
  writeFileSync(json, '{"pid":7}', { mode: 0o600 });
  const child = runLines('local/own-place-process.ts', [far(), json]);
  await child.closed;
  const expected = { heard: 'hello', json: { pid: 7 }, made: true, left: false, moved: false };
  expect([child.lines().map((line) => JSON.parse(line)), child.errors()]).toMatchObject([[expected], '']);
});

describeIf(mounting(), 'without /proc', () => {
  it('R143 a socket works at a path above the limit, and the process returns to its folder', async () => {
    mkdirSync(dirname(far()), { recursive: true, mode: 0o700 });
    const hidden = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
    const child = runLines('local/own-place-process.ts', [far(), join(folder, 'none')], hidden);
    await child.closed;
    const expected = { heard: 'hello', made: true, hasProc: false, left: false, moved: false };
    expect([child.lines().map((line) => JSON.parse(line)), child.errors()]).toEqual([[expected], '']);
  });
});

describe('R143 a socket is not used', () => {
  it.each([0o720, 0o702, 0o777])('in a folder of mode %o', async (mode) => {
    await listening();
    chmodSync(dirname(socket), mode);
    expectRefused(`${dirname(socket)}: it belongs to user ${process.getuid?.()}, but other users can write to it`);
    await expect(listening(join(dirname(socket), 'other.sock'))).rejects.toThrow('other users can write to it');
  });

  it('that other users can write to', async () => {
    await listening();
    chmodSync(socket, 0o722);
    expectRefused(`${socket}: it belongs to user ${process.getuid?.()}, but other users can write to it`);
  });

  it('that is a link, or in a folder that is a link', async () => {
    await listening(join(folder, 'real.sock'));
    symlinkSync(join(folder, 'real.sock'), socket);
    expectRefused(`${socket}: it belongs to user ${process.getuid?.()} and is a symbolic link`);
    rmSync(dirname(socket), { recursive: true });
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync(join(folder, 'real'), dirname(socket));
    expectRefused('is not a folder');
    expect(() => requireOwnFolder(dirname(socket))).toThrow('is not a folder');
  });

  it('that is missing, and the system error has the whole path', async () => {
    const absent = connectOwn(socket);
    await new Promise((resolve) => absent.once('close', resolve));
    expect(absent.errored).toMatchObject({ code: 'ENOENT', message: `connect ENOENT ${socket}` });
    expect(() => connectOwn(join(folder, 'none', 'daemon.sock'))).toThrow('ENOENT');
  });
});

describe('R143 a file is not read', () => {
  const file = () => join(dirname(socket), 'daemon.json');

  it('that is a link, that others can write to, or whose folder others can write to', () => {
    writeFileSync(file(), '{}');
    chmodSync(file(), 0o606);
    expect(() => readOwnJson(file())).toThrow('other users can write to it');
    rmSync(file());
    writeFileSync(join(folder, 'real'), '{}');
    symlinkSync(join(folder, 'real'), file());
    expect(() => readOwnJson(file())).toThrow('it is a symbolic link');
    chmodSync(dirname(socket), 0o722);
    expect(() => readOwnJson(file())).toThrow(`${dirname(socket)}: it belongs to user`);
  });

  it('that is missing or damaged, and counts as absent', () => {
    expect(readOwnJson(file())).toBeUndefined();
    expect(readOwnJson(join(folder, 'none', 'daemon.json'))).toBeUndefined();
    writeFileSync(file(), '{');
    expect(readOwnJson(file())).toBeUndefined();
  });
});

describeIf(users(), 'R143 of another user', () => {
  it.each(['socket', 'folder', 'file'] as const)('a %s is refused, with its path and owner', async (what) => {
    const file = join(dirname(socket), 'daemon.json');
    writeFileSync(file, '{}', { mode: 0o644 });
    await listening();
    const place = { socket, folder: dirname(socket), file }[what];
    chownSync(place, STRANGER, STRANGER);
    const words = `${place}: it belongs to user ${STRANGER}, and you are user ${process.getuid?.()}`;
    if (what === 'file') expect(() => readOwnJson(file)).toThrow(words);
    else expectRefused(words);
  });
});
