// The isolation of a file: actor: what it sees, what limits it has, and that no process of it remains.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogSink, RunSpec } from '../../../daemon/ports/executor.ts';
import { type Behaviour, collect, runSpec } from '../../ports/executor.suite.ts';
import {
  alive,
  eventually,
  makeProcessHarness,
  type ProcessHarness,
  processesWith,
} from '../../support/engine/process-harness.ts';

const never = new AbortController().signal;
const MB = 1024 * 1024;
const secret = 'a-secret-of-the-daemon';
const token = 'a-token-of-one-run';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const everyFile = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a file: actor', () => {
  let harness: ProcessHarness;
  beforeAll(async () => {
    process.env['ACTORCTL_ADMIN_PASSWORD'] = secret;
    harness = await makeProcessHarness();
  });
  afterAll(async () => {
    delete process.env['ACTORCTL_ADMIN_PASSWORD'];
    await harness.cleanup();
  });

  const start = async (image: string, over: Partial<RunSpec> = {}) => {
    const spec = runSpec(image, over);
    const ref = await harness.executor.create(spec, never);
    const out = collect();
    const running = await harness.executor.start(ref, out.sink);
    return { spec, ref, out, running };
  };
  const run = async (image: string, over: Partial<RunSpec> = {}) => {
    const started = await start(image, over);
    return { ...started, ended: await started.running.ended };
  };
  const shell = (script: string): string => harness.folder('{"command":["sh","main.sh"]}', { 'main.sh': script });
  const behaviour = (name: Behaviour) => harness.image(name);

  it('R144 R154 sees no variable of the environment of the daemon, and neither does the runner', async () => {
    const { out, ref, spec } = await run(await behaviour('echo-env'), { environment: { TOKEN: token } });
    const names = out
      .stdout()
      .split('\0')
      .map((entry) => entry.split('=')[0])
      .filter((name) => name !== '');
    expect(names.toSorted()).toEqual(['HOME', 'PATH', 'PWD', 'TMPDIR', 'TOKEN', '_svc_execution_id']);
    expect(out.stdout()).not.toContain(secret);
    expect(out.stdout()).toContain(`_svc_execution_id=${spec.executionId}`);
    for (const pid of harness.runners()) expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    await harness.executor.remove(ref);
  });

  it('R144 has no secret on any command line', async () => {
    const { ref, out } = await start(await behaviour('sleep'), { environment: { TOKEN: token } });
    await out.until('ready');
    expect(processesWith(token, 'cmdline')).toEqual([]);
    expect(processesWith(token, 'environ').length).toBeGreaterThan(0);
    await harness.executor.remove(ref);
  });

  it('R139 has its environment in no file, whether it is created, running or ended', async () => {
    const environment = { TOKEN: token };
    const created = await harness.executor.create(runSpec(await behaviour('hello'), { environment }), never);
    const running = await start(await behaviour('sleep'), { environment });
    await running.out.until('ready');
    const ended = await run(await behaviour('hello'), { environment });
    await eventually(() => everyFile(harness.options.runsFolder).some((path) => path.endsWith('ended.json')));
    for (const path of everyFile(harness.options.runsFolder)) expect(readFileSync(path, 'utf8')).not.toContain(token);
    for (const ref of [created, running.ref, ended.ref]) await harness.executor.remove(ref);
  });

  it('R140 R143 has folders 0700, files 0600 or 0400, and a socket 0600', async () => {
    const files = [{ path: '/_svc_msg', source: { bytes: Buffer.from('x') }, variable: 'MSG_FILE' }];
    const { ref } = await run(await behaviour('hello'), { files });
    const folder = join(harness.options.runsFolder, ref);
    await eventually(() => readdirSync(folder).includes('ended.json'));
    expect(modeOf(harness.options.runsFolder)).toBe('700');
    expect(modeOf(harness.options.socketPath)).toBe('600');
    expect(modeOf(join(harness.options.runsFolder, 'runner.log'))).toBe('600');
    const modes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => `${name} ${modeOf(join(folder, name))}`);
    expect(modes).toEqual(['ended.json 600', 'files 700', 'files/_svc_msg 400', 'output 600', 'work 700']);
    expect(modeOf(folder)).toBe('700');
    await harness.executor.remove(ref);
  });

  it('creates files with the default mode', async () => {
    const { ref, out } = await run(shell('umask'));
    expect(out.stdout()).toBe('0022\n');
    await harness.executor.remove(ref);
  });

  it('runs in its own folder, and HOME and TMPDIR are an empty folder of the run whatever its variables say', async () => {
    const image = shell('pwd; ls -A "$HOME"; echo "$TMPDIR"; echo kept > "$TMPDIR/kept"; mkdir "$HOME/sub"');
    const environment = { HOME: '/root', TMPDIR: '/tmp' };
    const { ref, out } = await run(image, { environment });
    const [folder, scratch] = out.stdout().trimEnd().split('\n');
    expect(folder).toBe(fileURLToPath(image));
    expect(scratch).toBe(join(harness.options.runsFolder, ref, 'work'));
    expect(readdirSync(scratch ?? '').toSorted()).toEqual(['kept', 'sub']);
    await harness.executor.remove(ref);
    expect(readdirSync(harness.options.runsFolder)).not.toContain(ref);
  });

  it('gets a copy of a file of the daemon, not the file itself', async () => {
    const own = join(harness.home, 'body');
    writeFileSync(own, 'the body', { mode: 0o600 });
    const files = [{ path: '/_svc_binary_data', source: { file: own }, variable: '_svc_binary_data_FILE' }];
    const image = shell(
      'cat "$_svc_binary_data_FILE"; chmod 600 "$_svc_binary_data_FILE"; : > "$_svc_binary_data_FILE"',
    );
    const { ref, out } = await run(image, { files });
    expect(out.stdout()).toBe('the body');
    expect(readFileSync(own, 'utf8')).toBe('the body');
    expect(modeOf(own)).toBe('600');
    await harness.executor.remove(ref);
  });

  it('finds the node executable of the daemon, and programs in its own folder', async () => {
    const node = harness.folder('{"command":["node","main.js"]}', { 'main.js': 'console.log(process.execPath)' });
    const first = await run(node);
    expect(dirname(first.out.stdout())).toBe(dirname(process.execPath));
    const own = harness.folder('{"command":["./main"]}', { main: '#!/bin/sh\necho own\n' });
    writeFileSync(join(fileURLToPath(own), 'main'), '#!/bin/sh\necho own\n', { mode: 0o755 });
    await harness.executor.remove(first.ref);
    const denied = harness.folder('{"command":["./main"]}', { main: '#!/bin/sh\necho own\n' });
    await expect(start(denied)).rejects.toThrow(/^cannot run "\.\/main" .*chmod \+x/);
  });

  it('can be created twice for one execution, each run with its own folder', async () => {
    const spec = runSpec(await behaviour('hello'));
    const first = await harness.executor.create(spec, never);
    const second = await harness.executor.create(spec, never);
    expect(second).not.toBe(first);
    await harness.executor.remove(first);
    expect(await (await harness.executor.start(second, () => undefined)).ended).toMatchObject({ exitCode: 0 });
    await harness.executor.remove(second);
  });

  it('has exit code 128 plus the signal number if a signal killed it', async () => {
    const { ended, ref } = await run(shell('kill -9 $$'));
    expect(ended.exitCode).toBe(137);
    expect(ended.finalState).toMatchObject({ Status: 'exited', Signal: 'SIGKILL', OOMKilled: false, Error: '' });
    await harness.executor.remove(ref);
  });

  it('is killed together with its grandchildren, even those in another session', async () => {
    const { ref, out, running } = await start(await behaviour('children'));
    await out.until('grandchild');
    const grandchild = Number(/grandchild (\d+)/.exec(out.stdout())?.[1]);
    expect(alive(grandchild)).toBe(true);
    await harness.executor.stop(ref, 0);
    expect(alive(grandchild)).toBe(false);
    expect((await running.ended).exitCode).toBe(137);
    await harness.executor.remove(ref);
  });

  it('gets SIGTERM once, and so do its children', async () => {
    const trapOf = (name: string) => `trap 'echo ${name}; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const image = shell(
      `trap 'echo own' TERM; setsid sh -c "${trapOf('far')}" & far=$!; sh -c "${trapOf('near')}"; wait $far`,
    );
    const { ref, out, running } = await start(image);
    await out.until('ready\nready\n');
    // It ends on its own, so a slow machine does not cut off its traps.
    await harness.executor.stop(ref, 60_000);
    expect((await running.ended).exitCode).toBe(0);
    expect(out.stdout().split('\n').toSorted()).toEqual(['', 'far', 'near', 'own', 'ready', 'ready']);
    await harness.executor.remove(ref);
  });

  it.each([
    ['in its own session', "setsid sh -c 'echo $$; touch up; exec sleep 1000'", 0],
    ['that has closed its output', "setsid sh -c 'echo $$; touch up; exec sleep 1000 >/dev/null 2>&1'", 0],
    // The runner looks for processes four times a second: after that nothing links this process to the run.
    ['that has emptied its environment', "setsid env -i sh -c 'echo $$; touch up; exec sleep 1000'", 1],
  ])('leaves no child process behind when it exits: one %s', async (_, child, seconds) => {
    const { ref, out, ended } = await run(shell(`${child} & until [ -e up ]; do sleep 0.05; done; sleep ${seconds}`));
    expect(ended.exitCode).toBe(0);
    expect(out.stdout()).toMatch(/^\d+\n$/);
    await harness.executor.remove(ref);
    expect(alive(Number(out.stdout()))).toBe(false);
  });

  it('is killed if it and its children exceed the memory limit together', async () => {
    const eat = `a=$(head -c ${24 * MB} /dev/zero | tr '\\0' x); sleep 1000`;
    const image = shell(`for i in 1 2 3 4; do sh -c "${eat.replaceAll('$', '\\$')}" & done; wait`);
    const { ended, ref } = await run(image, { limits: { memoryBytes: 80 * MB, pids: 100 } });
    expect(ended).toMatchObject({ exitCode: 137, outOfMemory: true });
    expect(ended.finalState['Error']).toMatch(/^killed: \d+ bytes of memory, 83886080 allowed$/);
    await harness.executor.remove(ref);
  });

  it('is killed if it exceeds the process limit, and the reason is reported', async () => {
    const { ended, ref, spec } = await run(await behaviour('fork-bomb'), {
      limits: { memoryBytes: 8192 * MB, pids: 30 },
    });
    expect(ended).toMatchObject({ exitCode: 137, outOfMemory: false });
    expect(ended.finalState['Error']).toMatch(/^killed: \d+ processes and threads, 30 allowed$/);
    await harness.executor.remove(ref);
    expect(processesWith(`_svc_execution_id=${spec.executionId}`, 'environ').filter(alive)).toEqual([]);
  });

  it('keeps running when its output exceeds the limit, and has its first and its last part, live and afterwards', async () => {
    const capped = await makeProcessHarness({ outputCapBytes: 1000 });
    const ref = await capped.executor.create(runSpec(await capped.image('big-log')), never);
    const received = () => {
      const { sink, ...rest } = collect();
      const gaps: number[] = [];
      const noting: LogSink = (stream, data, leftOut = 0) => {
        if (leftOut > 0) gaps.push(leftOut);
        sink(stream, data, leftOut);
      };
      return { ...rest, sink: noting, gaps };
    };
    const [live, again] = [received(), received()];
    expect((await (await capped.executor.start(ref, live.sink)).ended).exitCode).toBe(0);
    await (await capped.executor.reattach(ref, again.sink)).ended;
    const length = Buffer.byteLength(`1\n${Array.from({ length: 3_000_000 }, (_, n) => `${n + 1} `).join('')}`);
    for (const { gaps, stdout } of [live, again]) {
      expect(stdout().length).toBe(1000 + 256 * 1024);
      expect(stdout().startsWith('1\n1 2 3 ')).toBe(true);
      expect(stdout().endsWith(' 2999999 3000000\n')).toBe(true);
      expect(gaps).toEqual([length - 1000 - 256 * 1024]);
    }
    await capped.cleanup();
  });
});
