// The `doctor` checks of the records of an instance, and of inaccessible folders and sockets.
import { chmodSync, statfsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkStore } from '../../../daemon/store/check-store.ts';
import { checkEngine } from '../../../src/commands/doctor/engine-check.ts';
import { checkClock, checkedData, checkFolders, checkRecords } from '../../../src/commands/doctor/machine-checks.ts';
import type { DataCheck } from '../../../src/local/daemon/check-data.ts';
import { openData } from '../../support/store/archives.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const NOW = Date.UTC(2026, 10, 22);
const ahead = { records: 1, schemaVersion: 1, tornBytes: 0, time: NOW + 86_400_000 };

it('a doctor check treats a time in the future as a clock fault, unless the clock is virtual', () => {
  expect(checkClock(NOW, { ok: true, found: { ...ahead, virtual: false } }).level).toBe('error');
  expect(checkClock(NOW, { ok: true, found: { ...ahead, virtual: true } }).level).toBe('ok');
  expect(checkClock(NOW, { ok: true }).level).toBe('ok');
});

it('a doctor check reports whether a stopped instance has a virtual clock', async () => {
  for (const virtual of [false, true]) {
    const folder = path.join(temporaryFolder(), 'data');
    const data = await openData(folder);
    const clock = { base: 5, at: 7, paused: true } as never;
    await data.store.transact((tx) =>
      tx.put('meta', { key: 'instance', instanceId: 'i', createdAt: 1, ...(virtual && { clock }) }),
    );
    await data.store.close();
    expect((await checkStore(folder))?.virtual).toBe(virtual);
  }
});

it.each([0x6969, 0xff534d42])('a doctor check warns of data and state on the network file system %d', (type) => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o700);
  const found = checkFolders({ paths: { stateDir: folder, configDir: folder } } as never, folder, (at) => ({
    ...statfsSync(at),
    type,
  }));
  expect(found.map(({ name, level }) => [name, level])).toEqual([
    ['data folder', 'warning'],
    ['state folder', 'warning'],
    ['config folder', 'ok'],
  ]);
});

it('a doctor check reports an inaccessible folder or socket as an error', async () => {
  const above = path.join(temporaryFolder(), 'loop');
  symlinkSync(above, above);
  const paths = { stateDir: above, configDir: above } as never;
  const [data] = checkFolders({ paths }, path.join(above, 'data'));
  expect(data).toMatchObject({ level: 'error', text: expect.stringContaining('cannot be used: ELOOP') });
  const settings = { origins: { 'docker.host': { value: `unix://${above}/docker.sock` } } };
  const [engine] = await checkEngine({ settings, user: { env: {} } } as never, undefined);
  expect(engine).toMatchObject({ level: 'error', text: expect.stringContaining('ELOOP') });
});

it('a doctor check names what actors lack on the engine, and what a container reaches', async () => {
  const settings = { origins: { 'docker.host': { value: undefined } } };
  const local = async () => ({ lastLaunch: async () => undefined });
  const findings = async (limitations?: readonly string[]) => {
    const engine = {
      name: 'swarm',
      available: true,
      detail: 'Docker 27 Swarm',
      endpoint: 'tcp://10.0.0.5:2376',
      limitations,
    };
    const manage = async () => ({ address: 'http://10.0.0.4:8722', ways: [{ way: 'api' }] });
    return checkEngine({ settings, local, manage, user: { env: {} } } as never, { engines: [engine] } as never);
  };
  const answers = { name: 'engine', level: 'ok', text: 'Docker 27 Swarm' };
  const reach = { name: 'reach', level: 'ok' };
  expect(await findings()).toMatchObject([answers, reach]);
  expect(await findings(['results are sent over HTTP only', 'no disk limit'])).toMatchObject([
    answers,
    { name: 'engine limits', level: 'ok', text: 'results are sent over HTTP only; no disk limit' },
    reach,
  ]);
});

it('a doctor check reports damage beside a running daemon only if found twice', async () => {
  const damaged = { ok: false, message: 'damaged' } as const;
  const afterOf = async (isRunning: boolean, ...answers: DataCheck[]) =>
    checkedData(async () => answers.shift() ?? { ok: true }, isRunning);
  expect(await afterOf(true, damaged)).toEqual({ ok: true });
  expect(await afterOf(true, damaged, damaged)).toEqual(damaged);
  expect(await afterOf(false, damaged)).toEqual(damaged);
});

it('a doctor check does not suggest replacing newer records with an old snapshot', () => {
  const damaged = checkRecords({ ok: false, message: 'damaged', tooNew: false }, false);
  expect(damaged.fix).toContain('snapshot restore');
  const newer = checkRecords({ ok: false, message: 'newer', tooNew: true }, false);
  expect(newer.fix).toBe('install the version of actorctl that wrote them, or a newer one');
});
