// The first process of a run: its arguments, its output, its end, and why it does not start.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnRun } from '../../../daemon/executor/runner/child.ts';
import type { RunOrder } from '../../../daemon/executor/runner/protocol.ts';
import { alive, eventually } from '../../support/engine/process-harness.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const orderOf = (command: readonly string[], environment: Readonly<Record<string, string>> = {}): RunOrder => ({
  ref: 'ref',
  executionId: 'execution',
  workerId: 'worker',
  command,
  folder,
  environment: { PATH: process.env['PATH'] ?? '', ...environment },
  memoryBytes: 1e9,
  pids: 100,
});

/** Runs a command to its end. */
const run = async (order: RunOrder) => {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const child = await spawnRun(order, (stream, data) => void output[stream].push(data));
  const { exitCode, signal } = await child.over;
  const text = (stream: keyof typeof output) => Buffer.concat(output[stream]).toString();
  return { pid: child.pid, exitCode, signal, stdout: text('stdout'), stderr: text('stderr') };
};

describe('the process of a run', () => {
  const sh = (script: string, environment?: Readonly<Record<string, string>>) =>
    run(orderOf(['sh', '-c', script], environment));

  it('passes on the output of both streams and the exit code', async () => {
    expect(await sh('echo one; echo two >&2; exit 3')).toMatchObject({
      ...{ exitCode: 3, signal: undefined, stdout: 'one\n', stderr: 'two\n' },
    });
    expect(await sh('exit 0')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('passes on the signal that has killed it', async () => {
    expect(await sh('kill -TERM $$')).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
  });

  it('has its own session, its folder, an empty input, and the given environment only', async () => {
    const { pid, stdout } = await sh('cut -d" " -f6 /proc/$$/stat; pwd; cat; cat /proc/$$/environ', {
      NAME: 'wört\n"',
    });
    expect(stdout).toBe(`${pid}\n${folder}\nPATH=${process.env['PATH']}\0NAME=wört\n"\0`);
  });

  it('gets its arguments as they are', async () => {
    const words = ['a b', '', 'ü😀', '$HOME "\'\\'];
    const { stdout } = await run(orderOf(['sh', '-c', 'printf "%s|" "$@"', 'sh', ...words]));
    expect(stdout).toBe(words.map((word) => `${word}|`).join(''));
  });

  it('passes on much output whole', async () => {
    const { stdout } = await sh('i=0; while [ $i -lt 40000 ]; do i=$((i+1)); echo "line $i of the output"; done');
    const lines = stdout.split('\n');
    expect([lines.length, lines[0], lines[39_999]]).toEqual([
      ...[40_001, 'line 1 of the output', 'line 40000 of the output'],
    ]);
  });

  it('may be a script without a first line that names its interpreter', async () => {
    writeFileSync(join(folder, 'plain'), 'echo "plain $1"\n');
    chmodSync(join(folder, 'plain'), 0o755);
    expect(await run(orderOf(['./plain', 'word']))).toMatchObject({ exitCode: 0, stdout: 'plain word\n' });
  });

  it('is the first program of its name in its PATH, even if that has no such line', async () => {
    for (const [place, text] of [
      ['first', 'echo first\n'],
      ['second', '#!/bin/sh\necho second\n'],
    ] as const) {
      mkdirSync(join(folder, place), { recursive: true });
      writeFileSync(join(folder, place, 'named'), text);
      chmodSync(join(folder, place, 'named'), 0o755);
    }
    const order = orderOf(['named'], { PATH: `missing:first:${folder}/second:/bin` });
    expect(await run(order)).toMatchObject({ exitCode: 0, stdout: 'first\n' });
  });

  it('is refused with the reason of the system', async () => {
    const refused = (order: RunOrder) => expect(run(order)).rejects;
    await refused(orderOf(['no-such-program'])).toMatchObject({
      kind: 'never',
      message: expect.stringContaining('cannot run "no-such-program"'),
    });
    await refused({ ...orderOf(['true']), folder: join(folder, 'missing') }).toMatchObject({
      kind: 'never',
      message: expect.stringContaining('the folder was deleted'),
    });
    await refused(orderOf(['sh', '-c', 'true'], { LONG: 'x'.repeat(200_000) })).toMatchObject({
      kind: 'size',
      message: expect.stringContaining('E2BIG'),
    });
  });

  it('ends with its main process, and its remaining children are killed', async () => {
    const { stdout, exitCode } = await sh('sleep 60 & echo $!');
    expect(exitCode).toBe(0);
    await eventually(() => !alive(Number(stdout)));
  });

  it('runs in parallel with others', async () => {
    const ends = await Promise.all([1, 2, 3, 4, 5].map((code) => sh(`echo ${code}; exit ${code}`)));
    expect(ends.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(
      [1, 2, 3, 4, 5].map((code) => [code, `${code}\n`]),
    );
  });
});
