// Messages that are sent twice or sent again, and executions that are waited for or halted: `--idempotency-key`,
// `executions rerun|wait --for|halt`, `messages list`, `actors show --wait`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
interface Sent {
  readonly execution_id: string;
}

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  await home.json('actors', 'create', image, '--name', 'sh', '--workers', '1', '--wait');
});
afterAll(() => home.remove());

const send = (message: string, ...flags: string[]) => home.json<Sent>('send', 'sh', '-m', message, ...flags);
const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: { code: string } }).error;

describe('--idempotency-key', () => {
  it('stores the same message once, even if several processes send it simultaneously', async () => {
    const sent = await Promise.all([1, 2, 3, 4].map(() => send('one', '--idempotency-key', 'k-1')));
    expect(new Set(sent.map(({ execution_id }) => execution_id)).size).toBe(1);
    expect((await send('one')).execution_id).not.toBe(sent[0]?.execution_id);
  });

  it('refuses another message or other variables under the same key', async () => {
    await send('one', '--idempotency-key', 'k-2');
    const other = await home.cli(['send', 'sh', '-m', 'two', '--idempotency-key', 'k-2', '--json']);
    expect({ code: other.code, error: errorOf(other.stderr).code }).toEqual({ code: 7, error: 'KEY_REUSED' });
    expect((await home.cli(['send', 'sh', '-m', 'one', '--env', 'X=2', '--idempotency-key', 'k-2'])).code).toBe(7);
  });

  it('distinguishes the lines of a file, and works for large and binary messages', async () => {
    const lines = async () =>
      JSON.parse(
        (await home.cli(['send', 'sh', '--each-line', '--idempotency-key', 'k-3', '--json'], { input: 'a\nb\n' }))
          .stdout,
      ) as Sent[];
    const first = await lines();
    expect(new Set(first.map(({ execution_id }) => execution_id)).size).toBe(2);
    expect(await lines()).toEqual(first);
    const large = Buffer.alloc(300_000, 1);
    const binary = () =>
      home.cli(['send', 'sh', '-f', '-', '--type', 'binary', '--idempotency-key', 'k-4'], { input: large });
    expect((await binary()).stdout).toBe((await binary()).stdout);
  });

  it('says how many of several messages were sent before one fails, with their ids', async () => {
    await send('other', '--idempotency-key', 'k-5.3');
    const lines = ['send', 'sh', '--each-line', '--idempotency-key', 'k-5'];
    const people = await home.cli(lines, { input: 'a\nb\nc\nd\n' });
    expect(people).toMatchObject({ code: 7, stderr: expect.stringContaining('2 of 4 messages were sent, then: ') });
    const { code, stdout, stderr } = await home.cli([...lines, '--json'], { input: 'a\nb\nc\nd\n' });
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    const ids = people.stdout.trim().split('\n');
    expect(ids).toHaveLength(2);
    expect(errorOf(stderr)).toMatchObject({ code: 'KEY_REUSED', details: { execution_ids: ids } });
  });

  it('refuses a key with a space', async () => {
    expect((await home.cli(['send', 'sh', '-m', 'x', '--idempotency-key', 'a b'])).code).toBe(2);
  });
});

describe('executions rerun', () => {
  it('sends the same message with its variables, and prints the result', async () => {
    const { execution_id: executionId } = await send('hi', '--env', 'X=7');
    await home.json('executions', 'wait', executionId);
    const again = await home.json<{ execution_id: string; rerun_of: string; logs: string }>(
      'executions',
      'rerun',
      executionId,
      '--run',
    );
    expect(again).toMatchObject({ rerun_of: executionId, status: 'COMPLETE' });
    expect(again.execution_id).not.toBe(executionId);
    expect(again.logs).toContain('got: hi\n');
    expect(again.logs).toContain('X=7\n');
  });

  it('sends another message in its place, and several at once', async () => {
    const first = await send('hi', '--env', 'X=8');
    const second = await send('ho');
    await home.json('executions', 'wait', first.execution_id, second.execution_id);
    const edited = await home.json<{ rerun_of: string; logs: string }>(
      ...['executions', 'rerun', first.execution_id, '-m', 'edited', '--run'],
    );
    expect(edited.rerun_of).toBe(first.execution_id);
    expect(edited.logs).toContain('got: edited\n');
    expect(edited.logs).toContain('X=8\n');

    const ids = [first.execution_id, second.execution_id];
    const both = await home.json<readonly { rerun_of: string; status: string }[]>(
      ...['executions', 'rerun', ...ids, first.execution_id, '--run'],
    );
    expect(both).toMatchObject(ids.map((id) => ({ rerun_of: id, status: 'COMPLETE' })));
    expect((await home.cli(['executions', 'rerun', first.execution_id, '--type', 'json'])).code).toBe(2);
    expect((await home.cli(['executions', 'rerun', first.execution_id, '-m', 'x', '--type', 'binary'])).code).toBe(2);
  });

  it('exits with 11 if it fails again, and with 7 if the message was too long to be stored', async () => {
    const { execution_id: executionId } = await send('fail');
    await home.cli(['executions', 'wait', executionId]);
    expect((await home.cli(['executions', 'rerun', executionId, '--run'])).code).toBe(11);
    const long = await send('x'.repeat(5_000));
    const refused = await home.cli(['executions', 'rerun', long.execution_id, '--json']);
    expect({ code: refused.code, error: errorOf(refused.stderr).code }).toEqual({ code: 7, error: 'MESSAGE_NOT_KEPT' });
    expect((await home.cli(['executions', 'rerun', 'AAAAAAAAAAAAA'])).code).toBe(6);
  });
});

describe('messages purge --execution', () => {
  it('deletes one waiting message, and says why it cannot', async () => {
    await home.json('actors', 'create', 'no/such-image', '--name', 'held');
    const [first, second] = [1, 2].map(() => home.json<Sent>('send', 'held', '-m', 'waits'));
    const id = (await second)?.execution_id ?? '';
    await first;
    const purge = ['messages', 'purge', 'held', '--yes', '--execution', id];
    expect((await home.cli([...purge, '--dry-run'])).stdout).toContain(`delete the message of ${id}`);
    expect(await home.cli([...purge, '-q'])).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect((await home.cli(purge)).stderr).toContain('it does not wait, it is cancelled');
    expect(await home.json('messages', 'count', 'held')).toEqual({ messages: 1 });
    expect((await home.cli(['messages', 'purge', 'held', '--yes', '--execution', 'nosuch'])).code).toBe(6);
  });
});

describe('executions wait and halt, messages list', () => {
  it('wait for a status or an expression, list the waiting messages, and halt', async () => {
    const { execution_id: executionId } = await send('hang');
    expect((await home.cli(['executions', 'wait', executionId, '--for', 'running'])).code).toBe(0);
    const behind = [await send('text behind'), await send('{"a": 1}')];
    const waiting = await home.json<Record<string, unknown>[]>('messages', 'list', 'sh');
    expect(waiting).toMatchObject([
      { execution_id: behind[0]?.execution_id, type: 'text', size: 11, from: 'dev' },
      { execution_id: behind[1]?.execution_id, type: 'json', size: 8, from: 'dev' },
    ]);
    expect(JSON.stringify(waiting)).not.toContain('text behind');
    expect((await home.cli(['messages', 'list', 'sh', '-q'])).stdout).toBe(
      `${behind[0]?.execution_id}\n${behind[1]?.execution_id}\n`,
    );
    const wait = ['executions', 'wait', executionId];
    const ended = await home.cli([...wait, '--for', '.exit_code == 0', '--timeout', '1s']);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(/actorctl executions wait \w{13}\/\w{13} --for '\.exit_code == 0'\n$/),
    });
    expect((await home.cli([...wait, '--timeout', '50ms'])).stderr).toMatch(/executions wait \w{13}\/\w{13}\n$/);
    expect((await home.cli(['executions', 'halt', executionId, '--yes', '--grace', '1500ms'])).code).toBe(2);
    expect(
      (await home.cli(['executions', 'halt', executionId, '--yes', '--signal', 'KILL', '--grace', '5s'])).code,
    ).toBe(2);
    expect((await home.cli(['executions', 'halt', executionId])).code).toBe(3);
    expect((await home.cli(['executions', 'halt', executionId, '--yes', '--signal', 'KILL'])).code).toBe(0);
    expect(await home.json('executions', 'show', executionId)).toMatchObject({ reason: 'halted', exit_code: 137 });
    const line = expect.stringMatching(new RegExp(`${executionId}\\thalted(\\t|\\n)`));
    expect((await home.cli(['events', 'tail', '--no-follow', '--type', 'EXECUTION_COMPLETE'])).stdout).toEqual(line);
    const rows = (await home.cli(['executions', 'list', '--limit', '200'])).stdout;
    expect(rows.split('\n').find((row) => row.startsWith(executionId))).toContain('\thalted\t');
    expect((await home.cli(['executions', 'wait', executionId, '--for', '.exit_code == 137'])).code).toBe(0);
    expect((await home.cli(['executions', 'wait', executionId, '--for', 'RUNNING'])).code).toBe(11);
    expect((await home.cli(['executions', 'wait', executionId, '--for', 'no such('])).code).toBe(2);
    const unknown = await home.cli(['executions', 'wait', executionId, '--for', '.status and .exitCode == 3']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('--for: no field named "exitCode"') });
    expect(unknown.stderr).toContain('write exit_code');
  });
});

describe('executions halt', () => {
  it('halts several, warns of one that has ended, and refuses if all have', async () => {
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh-2', '--workers', '2', '--wait');
    const [one, two, over] = await Promise.all(
      ['hang', 'hang', 'hi'].map(async (message) => {
        const { execution_id: id } = await home.json<Sent>('send', message === 'hi' ? 'sh' : 'sh-2', '-m', message);
        await home.json('executions', 'wait', id, ...(message === 'hi' ? [] : ['--for', 'running']));
        return id;
      }),
    );
    const halt = ['executions', 'halt', one ?? '', over ?? '', two ?? '', '--yes', '--grace', '0s'];
    const halted = await home.cli(halt);
    expect(halted.code).toBe(0);
    expect(halted.stderr).toContain(`cannot halt ${over}: it has ended with complete`);
    expect(halted.stdout.match(/^Halted \w{13} after/gm)).toHaveLength(2);
    for (const id of [one, two])
      expect(await home.json('executions', 'show', id ?? '')).toMatchObject({ reason: 'halted' });
    const again = await home.cli([...halt, '--json']);
    expect({ code: again.code, error: errorOf(again.stderr).code }).toEqual({ code: 7, error: 'NOT_RUNNING' });
  });
});

describe('actors show --wait', () => {
  it('waits again after a wait that has timed out, and shows an actor that is READY', async () => {
    // The daemon of this file has no container engine.
    const { code, stderr } = await home.cli([
      'actors',
      'create',
      'busybox',
      '--name',
      'late',
      '--wait',
      '--timeout',
      '50ms',
    ]);
    expect(code).toBe(8);
    const [, again = ''] = /actorctl (actors show \w{13} --wait)$/m.exec(stderr) ?? [];
    expect((await home.cli([...again.split(' '), '--timeout', '50ms'])).code).toBe(8);
    expect(await home.json('actors', 'show', 'sh', '--wait')).toMatchObject({ name: 'sh', status: 'READY' });
  });
});
