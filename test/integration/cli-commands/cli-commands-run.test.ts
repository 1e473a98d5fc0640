// `send`, `run` and `messages` of the built program against the built daemon.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { until } from '../../support/daemon/daemon.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { preloads } from '../../support/preloads/preloads.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));
let home: SharedHome;
let image: string;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
  const { code, stderr } = await home.cli([
    'actors',
    'create',
    image,
    '--name',
    'sh',
    '-e',
    'X=1',
    '--workers',
    '4',
    '--wait',
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

afterAll(() => home.remove());

describe('run', () => {
  it('copies the stdout of the actor to stdout, and its stderr and result to stderr', async () => {
    const { code, stdout, stderr } = await home.cli(['run', 'sh', '-m', 'hello']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'got: hello\n' });
    expect(stderr).toMatch(/^\w{13} {2}sh {2}waiting {2}\(text message\)$/m);
    expect(stderr).toMatch(/^X=1$/m);
    expect(stderr).toMatch(/^\w{13} {2}complete {2}\S+ {2}\(queued \S+\)$/m);
  });

  it('with --quiet prints only the output of the actor', async () => {
    expect(await home.cli(['run', 'sh', '-m', 'bytes', '-q'])).toEqual({ code: 0, stdout: 'no line end', stderr: '' });
  });

  it('exits with 11 if the actor failed, or with the code of the actor on request', async () => {
    expect(await home.cli(['run', 'sh', '-m', 'fail'])).toMatchObject({ code: 11, stdout: 'before\n' });
    expect(await home.cli(['run', 'sh', '-m', 'fail', '--exit-code', 'propagate'])).toMatchObject({ code: 3 });
  });

  it.each([[['run', 'sh', '-m', 'hang']], [['executions', 'rerun', '@last', '--run']]])(
    'interrupted, names the execution that continues: %j',
    async (args) => {
      const before = (await home.cli(['executions', 'list', 'sh', '-q'])).stdout;
      const command = home.start([...args, '--json']);
      await until(
        async () => (await home.cli(['executions', 'list', 'sh', '--status', 'RUNNING', '-q'])).stdout !== '',
      );
      command.interrupt();
      const { code, stderr } = await command.ended;
      const { message, details, hint } = errorOf(stderr);
      const { execution_id: id, actor_id: actor } = details as Record<string, string>;
      expect([code, before.includes(String(id))]).toEqual([130, false]);
      expect(message).toBe(`execution ${id} was submitted, then: interrupted`);
      expect(hint).toBe(`actorctl executions wait ${actor}/${id}`);
      expect((await home.cli(['executions', 'halt', `${actor}/${id}`, '--yes'])).code).toBe(0);
      await home.cli(['executions', 'wait', `${actor}/${id}`]);
    },
  );

  it('with --no-logs prints the last 20 lines of a failed run, and nothing of a successful one', async () => {
    const failed = await home.cli(['run', 'sh', '-m', 'twenty', '--no-logs']);
    expect(failed).toMatchObject({ code: 11, stdout: '' });
    expect(failed.stderr.split('\n').filter((line) => line.startsWith('line '))).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index + 11}`),
    );
    const fine = await home.cli(['run', 'sh', '-m', 'hi', '--no-logs']);
    expect(fine).toMatchObject({ code: 0, stdout: '' });
    expect(fine.stderr).not.toContain('got: hi');
  });

  it('with --json prints one object with the whole log, even of a failed run, and nothing on stderr', async () => {
    const { code, stdout, stderr } = await home.cli(['run', 'sh', '-m', 'fail', '--json']);
    expect({ code, stderr }).toEqual({ code: 11, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'COMPLETE',
      exit_code: 3,
      reason: 'exited',
      message_type: 'text',
      logs: expect.stringMatching(/before\n/),
      execution_id: expect.stringMatching(/^\w{13}$/),
      actor_id: expect.stringMatching(/^\w{13}$/),
      runtime_ms: expect.any(Number),
    });
    expect(await home.cli(['run', 'sh', '-m', 'fail', '--jq', '.exit_code'])).toMatchObject({
      code: 11,
      stdout: '3\n',
    });
  });

  it('with --ndjson prints one object per log line and then the result', async () => {
    const { code, stdout } = await home.cli(['run', 'sh', '-m', 'steps', '--ndjson']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(events.map(({ type, line }) => [type, line])).toEqual([
      ['log', 'step 1'],
      ['log', 'step 2'],
      ['log', 'step 3'],
      ['result', undefined],
    ]);
    expect(events.at(-1)).toMatchObject({ exit_code: 0 });
  });

  it('with --ndjson and --fields prints these fields of each object', async () => {
    const { stdout } = await home.cli(['run', 'sh', '-m', 'steps', '--ndjson', '--fields', 'line,exit_code']);
    expect(stdout).toBe('{"line":"step 1"}\n{"line":"step 2"}\n{"line":"step 3"}\n{"exit_code":0}\n');
  });

  it.each([
    ['--ndjson', 'nope', 2],
    ['--json', 'nope', 2],
    ['--ndjson', 'help', 0],
  ])('with %s --fields %s sends no message', async (format, fields, code) => {
    const count = async () => (await home.json<unknown[]>('executions', 'list', 'sh', '--all')).length;
    const before = await count();
    const { stdout, stderr, ...ended } = await home.cli(['run', 'sh', '-m', 'steps', format, '--fields', fields]);
    expect(ended.code).toBe(code);
    expect(stdout + stderr).toContain(code === 0 ? 'type\nexecution_id\n' : 'no field named');
    expect(await count()).toBe(before);
  });

  it('with --timeout exits with 8 after that time and names the execution, which continues', async () => {
    const { code, stdout, stderr } = await home.cli(['run', 'sh', '-m', 'hang', '--timeout', '300ms', '--json']);
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    const error = errorOf(stderr);
    expect(error).toMatchObject({ code: 'WAIT_TIMEOUT', category: 'still_running' });
    const { execution_id: id } = error['details'] as Record<string, string>;
    // On a busy machine it may only begin after that time.
    const shown = () => home.json('executions', 'show', `sh/${id}`);
    await expect.poll(shown).toMatchObject({ status: 'RUNNING' });
    expect(await home.json('executions', 'halt', `sh/${id}`, '-y')).toMatchObject({
      status: 'COMPLETE',
      reason: 'halted',
    });
    expect(await home.cli(['executions', 'wait', `sh/${id}`])).toMatchObject({ code: 11 });
  });

  it('with several messages lists the finished runs in the error if a later run times out', async () => {
    const args = ['run', 'sh', '--each-line', '--timeout', '4s', '--json'];
    const { code, stdout, stderr } = await home.cli(args, { input: 'one\nhang\ntwo\n' });
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    const error = errorOf(stderr);
    expect(error).toMatchObject({
      code: 'WAIT_TIMEOUT',
      message: expect.stringMatching(/^1 of 3 runs ended, then: \w{13} is still running/),
      details: { status: 'RUNNING', runs: [{ exit_code: 0, logs: expect.stringContaining('got: one') }] },
    });
    const { execution_id: id } = error['details'] as Record<string, string>;
    await home.json('executions', 'halt', `sh/${id}`, '-y');
  });

  it('with --each-line sends each line as a message, and exits with the first failure', async () => {
    const { code, stdout } = await home.cli(['run', 'sh', '--each-line', '--json'], { input: 'one\nfail\ntwo\n' });
    expect(code).toBe(11);
    expect((JSON.parse(stdout) as { logs: string }[]).map(({ logs }) => logs.split('\n')[0])).toEqual([
      'got: one',
      'before',
      'got: two',
    ]);
  });

  it('reads a message from stdin only with -f -, and sets a variable for one execution', async () => {
    const { stdout } = await home.cli(['run', 'sh', '-f', '-', '--type', 'text', '--env', 'X=2', '--json'], {
      input: '"quoted"',
    });
    expect((JSON.parse(stdout) as { logs: string }).logs.split('\n').sort()).toEqual(
      ['', 'X=2', 'got: "quoted"'].sort(),
    );
  });

  it('of an actor in ERROR exits with 10 and the reason, and sends nothing', async () => {
    const folder = join(home.folder, 'nothing-here');
    const { id } = await home.json('actors', 'create', shellActor(folder), '--name', 'broken');
    rmSync(folder, { recursive: true });
    expect(await home.cli(['actors', 'update', String(id), '--force', '--wait', '--json'])).toMatchObject({
      code: 10,
      stdout: '',
    });
    const { code, stderr } = await home.cli(['run', String(id), '-m', 'x', '--json']);
    expect({ code, error: errorOf(stderr)['code'] }).toEqual({ code: 10, error: 'ACTOR_ERROR' });
    expect(await home.json('messages', 'count', String(id))).toEqual({ messages: 0 });
    const sent = await home.cli(['send', String(id), '-m', 'x']);
    expect(sent.stderr).toMatch(/^warning: actor broken is in ERROR, so its messages wait: /);
    expect(await home.cli(['messages', 'count', 'broken'])).toMatchObject({ code: 0, stdout: '1\n' });
    expect(await home.cli(['messages', 'purge', 'broken'])).toMatchObject({ code: 3, stdout: '' });
    expect(await home.json('messages', 'purge', 'broken', '-y')).toEqual({ purged: 1 });
    expect(await home.cli(['executions', 'wait', 'broken@last'])).toMatchObject({ code: 11 });
  });
});

describe('send', () => {
  it('prints only the id of the execution', async () => {
    const { code, stdout, stderr } = await home.cli(['send', 'sh', '-m', 'hi']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\w{13}\n$/);
    expect(await home.cli(['executions', 'wait', stdout.trim()])).toMatchObject({
      code: 0,
      stdout: `${stdout.trim()}  complete\n`,
    });
  });
  it('with --json prints the response of the service', async () => {
    expect(await home.json('send', 'sh', '--data', 'a=1')).toMatchObject({
      execution_id: expect.any(String),
      msg: { a: '1' },
      _links: expect.any(Object),
    });
  });
  it('without a message is a usage error, and does not read stdin', async () => {
    const child = spawn(process.execPath, [...preloads, program, 'send', 'sh'], {
      env: home.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // stdin stays open: a command that reads it would never end.
    expect((await once(child, 'exit'))[0]).toBe(2);
    child.stdin.destroy();
  });
});

it('a message file that is too large or missing is refused before anything is sent', async () => {
  const file = join(home.folder, 'message.bin');
  writeFileSync(file, Buffer.alloc(10 * 1024 * 1024 + 1));
  expect(await home.cli(['send', 'sh', '-f', file])).toMatchObject({ code: 2, stdout: '' });
  expect(await home.cli(['send', 'sh', '-f', join(home.folder, 'absent')])).toMatchObject({ code: 2, stdout: '' });
});
