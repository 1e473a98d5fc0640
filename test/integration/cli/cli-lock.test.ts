// The lock between processes of the command line: what is taken over, what is refused, what ends a wait, and what happens if
// its folder cannot be written.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withLock } from '../../../src/local/lock/with-lock.ts';
import { identityOf, type ProcessIdentity } from '../../../src/local/process-identity.ts';
import { json, startCliService } from '../../support/daemon/cli-service.ts';
import { inProcessHome } from '../../support/daemon/home.ts';
import { mounting, smallDisk } from '../../support/daemon/mounts.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-lock-'));
  file = path.join(folder, 'credentials.json.lock');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const idle = new AbortController().signal;
const living = identityOf(process.pid);
/** A process with the id of a living one that started at another time. */
const reused: ProcessIdentity = { ...living, processStart: '1' };
const ended: ProcessIdentity = { ...living, pid: 2 ** 22 + 1 };

const owner = (identity: ProcessIdentity, digit: string): string =>
  JSON.stringify({ token: digit.repeat(32), ...identity });

/** Writes the lock of an ended process, and the claim of the process that was about to take it over. */
const withClaim = (claim: string): void => {
  writeFileSync(file, owner(ended, '1'));
  writeFileSync(`${file}.${'1'.repeat(32)}`, claim);
};

const run = (): Promise<string> => withLock(file, async () => 'done', { signal: idle });

describe('a lock', () => {
  it.each<[string, () => void]>([
    ['of an ended process', () => writeFileSync(file, owner(ended, '1'))],
    ['whose process id was reused', () => writeFileSync(file, owner(reused, '1'))],
    ['of an ended process with an empty claim', () => withClaim('')],
    ['of an ended process with a claim whose process id was reused', () => withClaim(owner(reused, '2'))],
    ['that is empty', () => writeFileSync(file, '')],
    [
      'that is empty, with an empty claim',
      () => {
        writeFileSync(file, '');
        writeFileSync(`${file}.e3b0c44298fc1c149afbf4c8996fb924`, '');
      },
    ],
    ['that has only a process id', () => writeFileSync(file, String(process.pid))],
    ['that is half a record', () => writeFileSync(file, owner(living, '1').slice(0, 40))],
  ])('%s is taken over, and no file of it remains', async (_name, leave) => {
    leave();
    expect(await run()).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a live process stays valid when the host name changes, which identifies the namespace outside Linux', async () => {
    writeFileSync(file, JSON.stringify({ ...JSON.parse(owner(living, '1')), pidNamespace: 'old.example' }));
    await expect(withLock(file, run, { signal: idle, waitMs: 0 })).rejects.toMatchObject({ code: 'IN_USE' });
  });

  it('that is empty is taken over by one process at a time', async () => {
    writeFileSync(file, '');
    let inside = 0;
    const most: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, () =>
        withLock(
          file,
          async () => {
            inside += 1;
            most.push(inside);
            await new Promise(setImmediate);
            inside -= 1;
          },
          { signal: idle },
        ),
      ),
    );
    expect(most).toEqual(Array.from({ length: 12 }, () => 1));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['a dangling symbolic link', () => symlinkSync(path.join(folder, 'nowhere'), file)],
    ['a FIFO', () => execFileSync('mkfifo', [file])],
    ['a folder', () => mkdirSync(file)],
  ])('that is %s is refused by name and stays', async (_name, make) => {
    make();
    await expect(run()).rejects.toMatchObject({ code: 'USAGE', message: `${file} is not a lock file of actorctl` });
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
  });

  it.each<[string, () => void]>([
    ['a living process', () => writeFileSync(file, owner(living, '1'))],
    ['an ended process that a living one is taking over', () => withClaim(owner(living, '2'))],
  ])('of %s is waited for until the limit, and the error names the process', async (_name, leave) => {
    leave();
    await expect(withLock(file, run, { signal: idle, waitMs: 0 })).rejects.toMatchObject({
      code: 'IN_USE',
      message: expect.stringContaining(`process ${process.pid} has held the lock ${file}`),
      extras: { details: { pid: process.pid } },
    });
  });

  it.each<[string, () => void]>([
    ['a living process', () => writeFileSync(file, owner(living, '1'))],
    ['an ended process that a living one is taking over', () => withClaim(owner(living, '2'))],
  ])('of %s is not waited for after an interruption', async (_name, leave) => {
    leave();
    const interruption = new AbortController();
    const waiting = withLock(file, run, { signal: interruption.signal });
    interruption.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(existsSync(file)).toBe(true);
  });
});

describeIf(mounting(), 'a configuration folder on a read-only disk', () => {
  it('R161 the error of a lock names it and a fix, and the stored login is unchanged', async () => {
    const disk = smallDisk('1m');
    const service = await startCliService();
    onTestFinished(service.close);
    const home = inProcessHome({ ACTORCTL_BASE_URL: service.origin, ACTORCTL_HOME: disk.folder });
    onTestFinished(() => rmSync(home.folder, { recursive: true }));
    await home.cli(['login', '--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin'], {
      input: 'client-secret\ngood password\n',
    });
    disk.readOnly(true);
    const config = path.join(disk.folder, 'config');
    const why = `cannot write to the folder ${config}: the file system is read-only`;
    const hint = `hint: to use other folders: export ACTORCTL_HOME='${path.join(tmpdir(), 'actorctl')}'\n`;

    const { stdout } = await home.cli(['doctor', '--json']);
    const { checks }: { checks: readonly { level: string; text: string }[] } = JSON.parse(stdout);
    const readOnly = checks.filter(({ text }) => text.endsWith('cannot be used: the file system is read-only'));
    expect(readOnly.map(({ level }) => level)).toEqual(['error', 'error', 'error']);

    const asked = service.asked.length;
    const refresh = await home.cli(['auth', 'refresh']);
    expect(refresh).toEqual({ code: 2, stdout: '', stderr: `error: ${why}\n${hint}` });
    expect(service.asked.slice(asked)).toEqual([]);
    expect((await home.cli(['whoami', '--jq', '.user', '-r'])).stdout).toBe('dev\n');

    const create = await home.cli(['context', 'create', 'x', '--base-url', service.origin]);
    expect(create).toEqual({ code: 2, stdout: '', stderr: `error: ${why}\n${hint}` });

    const local = await home.cli(['logout', '--local-only']);
    expect(local).toEqual({ code: 2, stdout: '', stderr: `error: ${why}\n${hint}` });
    service.answer = (_request, response) => {
      json(response, 200, {});
      return true;
    };
    const logout = await home.cli(['logout']);
    expect(logout).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: the tokens are revoked, but still stored: ${why}\n${hint}`,
    });
  });
});
