// What the command line shows while an execution waits: for the worker, for earlier messages, for the disk.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { mounting, smallDisk } from '../../support/daemon/mounts.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let home: Home;
let go: string;

/** An actor that runs one execution at a time, each until `go` exists. */
const createActor = async (): Promise<void> => {
  go = join(home.folder, 'go');
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  const script = `echo "began $MSG"; while [ ! -e ${go} ]; do sleep 0.05; done; echo "ended $MSG"`;
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
    expect(await home.json('executions', 'show', second)).toMatchObject({ statusMessage: `${busy}.` });
    const behind = `${busy}, and 1 message waits before this one.`;
    expect((await home.cli(['executions', 'show', third])).stdout).toContain(behind);
    const others = [home.start(['logs', third, '-f']), home.start(['executions', 'wait', third])];
    for (const each of [run, ...others])
      await expect.poll(() => each.err()).toContain(`${third}  waiting: ${behind}\n`);
    writeFileSync(go, '');
    for (const each of [run, ...others]) {
      const { code, stderr } = await each.ended;
      expect(code).toBe(0);
      // Without a terminal, one line gives the first reason.
      expect(stderr.match(/waiting: /g)).toHaveLength(1);
    }
    expect(others[0]?.out()).toBe('began third\nended third\n');
    expect(await home.json('executions', 'show', third)).not.toHaveProperty('statusMessage');
  });

  it('shows each change of the reason on a terminal', async () => {
    await home.up();
    await createActor();
    const first = await send('first');
    await expect.poll(async () => (await home.cli(['logs', first])).stdout).toBe('began first\n');
    await send('second');
    const third = await send('third');
    const { text } = await onTerminal(`executions wait ${third}`, home.env, [
      [
        '1 message waits before this one',
        async () => {
          await home.cli(['actors', 'purge', 'one', '--yes']);
          writeFileSync(go, '');
          return '';
        },
      ],
    ]);
    expect(text).toContain(third);
  });
});

describeIf(mounting(), 'an execution on a full disk', () => {
  it('shows that the disk holds up its start or the record of its end, until there is space', async () => {
    const disk = smallDisk('3m');
    await home.up('--data-dir', join(disk.folder, 'data'));
    await createActor();
    const running = home.start(['run', 'one', '-m', 'first']);
    await expect.poll(() => running.out()).toBe('began first\n');
    const queued = await send('second');
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
    writeFileSync(go, '');
    await expect
      .poll(() => running.err())
      .toContain('waiting: The disk of the daemon is full. Recording the end waits until it accepts writes.\n');
    const wait = home.start(['executions', 'wait', queued]);
    await expect
      .poll(() => wait.err())
      .toContain('waiting: The disk of the daemon is full. The start waits until it accepts writes.\n');
    rmSync(filler);
    expect([(await running.ended).code, (await wait.ended).code]).toEqual([0, 0]);
  });
});
