// What the command line shows while an execution waits: for the worker, for earlier messages, for the disk.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { createHome, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { mounting, smallDisk } from '../../support/daemon/mounts.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let home: Home;

/** Lets the execution of a message end. */
const release = (message: string): string => {
  writeFileSync(join(home.folder, `go-${message}`), '');
  return '';
};

/** An actor that runs one execution at a time, each until it is released. */
const createActor = async (): Promise<void> => {
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  const script = `echo "began $MSG"; while [ ! -e ${home.folder}/go-$MSG ]; do sleep 0.05; done; echo "ended $MSG"`;
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', script] }));
  await home.json('actors', 'create', `file://${folder}`, '--name', 'one', '--stateful', '--wait');
};

const send = async (text: string): Promise<string> =>
  (await home.json<{ execution_id: string }>('send', 'one', '-m', text)).execution_id;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});
afterEach(() => home.remove());

describe('an execution in the queue', () => {
  it('shows its reason and its place in run, logs -f, executions show and executions wait', async () => {
    await home.up();
    await createActor();
    const first = await send('first');
    await expect.poll(async () => (await home.cli(['logs', first])).stdout).toBe('began first\n');
    const second = await send('second');
    const run = home.start(['run', 'one', '-m', 'third']);
    await expect.poll(() => run.err()).toContain('waiting: ');
    const third = run.err().slice(0, 13);
    const busy = 'The worker of the actor is busy';
    expect(await home.json('executions', 'show', second)).toMatchObject({ status_message: `${busy}.` });
    const behind = `${busy}, and 1 message waits before this one.`;
    expect((await home.cli(['executions', 'show', third])).stdout).toContain(behind);
    const others = [home.start(['logs', third, '-f']), home.start(['executions', 'wait', third])];
    for (const each of [run, ...others])
      await expect.poll(() => each.err()).toContain(`${third}  waiting: ${behind}\n`);
    for (const message of ['first', 'second', 'third']) release(message);
    for (const each of [run, ...others]) {
      const { code, stderr } = await each.ended;
      expect(code).toBe(0);
      // Without a terminal, a reason that differs only in its numbers is not printed again.
      const reasons = stderr.match(/waiting: .*/g)?.map((reason) => reason.replaceAll(/\d+/g, 'N'));
      expect(reasons).toEqual([...new Set(reasons)]);
    }
    expect(others[0]?.out()).toBe('began third\nended third\n');
    expect(await home.json('executions', 'show', third)).not.toHaveProperty('status_message');
  });

  it('shows each change of the reason on a terminal', async () => {
    await home.up();
    await createActor();
    const first = await send('first');
    await expect.poll(async () => (await home.cli(['logs', first])).stdout).toBe('began first\n');
    await send('second');
    const third = await send('third');
    const { code } = await onTerminal(`executions wait ${third}`, home.env, [
      ['is busy, and 1 message waits before this one.', async () => release('first')],
      [`${third}  waiting: The worker of the actor is busy.`, async () => release('second') + release('third')],
    ]);
    expect(code).toBe(0);
  });
});

it('twelve actors and their executions at the same time leave no warning of Node on stderr', async () => {
  // The programs run as processes. The processes of the command line and of the daemon fail this test if they warn.
  const built = createHome(NO_ENGINE);
  try {
    await built.up();
    const folder = join(built.folder, 'actor');
    mkdirSync(folder);
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo done'] }));
    const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
    const config = {
      project: 'many',
      actors: Object.fromEntries(names.map((name) => [name, { image: `file://${folder}` }])),
    };
    const file = join(built.folder, 'actorctl.yaml');
    writeFileSync(file, JSON.stringify(config));
    expect((await built.cli(['apply', '-f', file, '--yes', '--wait'])).code).toBe(0);
    const sent = await Promise.all(names.map((name) => built.json<{ execution_id: string }>('send', name, '-m', name)));
    const ids = sent.map(({ execution_id }) => execution_id);
    const ended = [built.cli(['executions', 'wait', ...ids]), built.cli(['logs', ...ids, '-f'])];
    for (const { code, stderr } of await Promise.all(ended))
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    expect((await built.cli(['actors', 'delete', ...names, '--yes'])).code).toBe(0);
    expect(readFileSync(join(built.folder, 'state', 'default', 'daemon.err'), 'utf8')).toBe('');
  } finally {
    await built.remove();
  }
});

describeIf(mounting(), 'an execution on a full disk', () => {
  it('shows that the disk holds up its start or the record of its end, until there is space', async () => {
    const disk = smallDisk('3m');
    await home.up('--data-dir', join(disk.folder, 'data'));
    await createActor();
    const running = home.start(['run', 'one', '-m', 'first']);
    await expect.poll(() => running.out()).toBe('began first\n');
    const queued = await send('second');
    const wait = home.start(['executions', 'wait', queued]);
    await expect.poll(() => wait.err()).toContain('waiting: The worker of the actor is busy.\n');
    const filler = join(disk.folder, 'filler');
    const fill = (): void => {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      }
    };
    // The rest of the last block of the journal may still take some writes.
    let count = 0;
    await expect
      .poll(async () => {
        fill();
        count += 1;
        return (await home.cli(['configs', 'create', `filling${count}`, '--value', 'x'.repeat(1_000)])).stderr;
      })
      .toContain('The disk of the daemon is full');
    for (const message of ['first', 'second']) release(message);
    await expect
      .poll(() => running.err())
      .toContain('waiting: The disk of the daemon is full. Recording the end waits until it accepts writes.\n');
    await expect
      .poll(() => wait.err())
      .toContain('waiting: The disk of the daemon is full. The start waits until it accepts writes.\n');
    rmSync(filler);
    expect([(await running.ended).code, (await wait.ended).code]).toEqual([0, 0]);
  });
});
