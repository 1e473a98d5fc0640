// `events tail` across restarts of the daemon and of the tail, and beyond the retention of events.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backgroundTail } from '../../support/crash/event-tail-program.ts';
import { NO_ENGINE, until } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome, program } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { preloads } from '../../support/preloads/preloads.ts';

let home: Home;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
  await home.json('actors', 'create', `file://${folder}`, '--name', 'quiet', '--wait');
  await home.json('actors', 'create', `file://${folder}`, '--name', 'counter', '--stateful', '--wait');
  const slow = join(home.folder, 'slow');
  mkdirSync(slow);
  writeFileSync(join(slow, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'echo begun; exec sleep 1000'] }));
  await home.json('actors', 'create', `file://${slow}`, '--name', 'slow', '--wait');
});

afterAll(() => home.remove());

const emit = (actor: string) => home.json<{ id: string }>('events', 'emit', 'TICK', '--actor', actor);

/** Runs a pipeline whose first command is actorctl. Returns the exit code of actorctl and its stderr. */
const pipeline = async (command: string, reader: string): Promise<{ readonly code: number; readonly err: string }> => {
  const line = `"${process.execPath}" ${preloads.join(' ')} "${program}" ${command} | ${reader}; exit \${PIPESTATUS[0]}`;
  const child = spawn('bash', ['-c', line], { env: home.env });
  let err = '';
  child.stderr.on('data', (piece) => {
    err += String(piece);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, err };
};

describe('although it has nothing to write, a command ends with 0 and without an error if the reader exits', () => {
  it.each([
    'events tail',
    'executions list --watch',
    'logs quiet -f',
    'state watch counter',
    'daemon logs -f',
    'webhooks listen',
  ])('before the first output: %s', async (command) => {
    const { code, err } = await pipeline(command, 'true');
    expect(code).toBe(0);
    expect(err).not.toMatch(/error|warning/i);
  });

  it.each(['events tail --since 1h', 'run slow -m hi'])('after the first line: %s', async (command) => {
    const { code, err } = await pipeline(command, 'head -1');
    expect(code).toBe(0);
    expect(err).not.toMatch(/error|warning/i);
  });

  it('and the output is a socket', async () => {
    const tail = backgroundTail(home, '--since', '1h');
    await until(() => tail.out() !== '');
    tail.child.stdout?.destroy();
    expect(await tail.closed).toBe(0);
  });
});

it('events have colours on a terminal, including those that webhooks listen receives', async () => {
  const { id } = await emit('quiet');
  const green = '\u001b[32mTICK\u001b[39m';
  const tail = await onTerminal('events tail --no-follow --color always', home.env);
  expect(tail.text).toContain(green);
  const event = await home.json<object>('events', 'show', id);
  const post = async (text: string): Promise<string> => {
    const url = /listening on (\S+)/.exec(text)?.[1] ?? '';
    const body = JSON.stringify({ ...event, status: 'a\u001b[2Jb' });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return '';
  };
  const listened = await onTerminal('webhooks listen --max 1 --color always', home.env, [['stop with', post]]);
  expect(listened.text).toContain(green);
  expect(listened.text).not.toContain('\u001b[2J');
});

describe('a tail during a restart of the daemon', () => {
  it('R19 misses no event and prints none twice if it and the daemon are killed, and reports the reconnection', async () => {
    const cursor = join(home.folder, 'c1');
    writeFileSync(cursor, `${(await emit('quiet')).id}\n`);
    const args = ['--actor', 'quiet', '--cursor-file', cursor, '-o', 'id'];
    const whole = backgroundTail(home, ...args.slice(0, 2), '-o', 'id', '--since', readFileSync(cursor, 'utf8').trim());
    const sent: string[] = [];
    const send = async (count: number): Promise<void> => {
      for (let each = 0; each < count; each += 1) sent.push((await emit('quiet')).id);
    };
    let resumed = '';
    let pieces = backgroundTail(home, ...args);
    for (let round = 0; round < 3; round += 1) {
      await send(4);
      if (round < 2) {
        // A tail that has not reached the daemon yet would give up when the daemon is killed.
        await until(() => whole.out() !== '' && pieces.out() !== '', 5);
        // The tail is killed between events, then the daemon.
        pieces.child.kill('SIGKILL');
        await pieces.closed;
        resumed += pieces.out();
        await send(2);
        await home.kill();
        await home.up();
        await send(2);
        pieces = backgroundTail(home, ...args);
      }
    }
    await until(
      () =>
        whole
          .out()
          .trim()
          .endsWith(sent.at(-1) ?? '') &&
        readFileSync(cursor, 'utf8')
          .trim()
          .endsWith(`.${sent.at(-1)}`),
    );
    for (const each of [whole, pieces]) each.child.kill('SIGINT');
    expect([await whole.closed, await pieces.closed]).toEqual([0, 0]);
    expect(whole.out().trim().split('\n')).toEqual(sent);
    // A tail that is killed between the print and the write of the cursor file may print that event again. It never
    // skips one.
    expect([...new Set((resumed + pieces.out()).trim().split('\n'))]).toEqual(sent);
    expect(whole.err()).toMatch(
      /^-- connection lost, retrying --\n-- reconnected after \d+ s, \d+ events? replayed --$/m,
    );
  });

  it('exits with 9 if the daemon is away longer than --reconnect-timeout', async () => {
    const watching = backgroundTail(home, '--reconnect-timeout', '1s', '--since', '1h');
    await until(() => watching.out().includes('ACTOR_READY'));
    await home.kill();
    expect(await watching.closed).toBe(9);
    expect(watching.err()).toContain('-- connection lost, retrying for 1 s --\n');
    expect(await home.cli(['events', 'tail'])).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('actorctl up'),
    });
    await home.up();
  });

  it.each([
    [[], 'retrying'],
    [['--max', '9999'], 'retrying for 60 s'],
    [['--exit-on', 'NEVER'], 'retrying for 60 s'],
    [['--exit-on', 'NEVER', '--reconnect-timeout', '2m'], 'retrying for 120 s'],
  ])('with the flags %j reports the lost connection while the daemon is away: %s', async (flags, words) => {
    const watching = backgroundTail(home, '--since', '1h', ...flags);
    await until(() => watching.out().includes('ACTOR_READY'));
    await home.kill();
    await until(() => watching.err().includes(`-- connection lost, ${words} --\n`));
    expect(watching.err()).not.toContain('reconnected');
    watching.child.kill('SIGINT');
    await watching.closed;
    await home.up();
  });
});

describe('a tail from a cursor before the oldest stored event', () => {
  it('R20 starts with the oldest event, and reports that events may be missing', async () => {
    const small = inProcessHome({ ...NO_ENGINE, ACTORCTL_EVENTS_KEPT: '3' });
    try {
      await small.up();
      const folder = join(small.folder, 'actor');
      mkdirSync(folder);
      writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
      await small.json('actors', 'create', `file://${folder}`, '--name', 'one', '--wait');
      const ids: string[] = [];
      for (let count = 0; count < 6; count += 1) {
        ids.push((await small.json<{ id: string }>('events', 'emit', 'TICK', '--actor', 'one')).id);
      }
      await small.kill();
      await small.up();
      const kept = async (): Promise<readonly unknown[]> => small.json('events', 'list');
      await until(async () => (await kept()).length === 3);
      const cursor = join(small.folder, 'cursor');
      writeFileSync(cursor, `${ids[0]}\n`);
      for (const args of [
        ['--since', ids[0] ?? ''],
        ['--cursor-file', cursor],
        ['--since', '1', '--no-follow'],
      ]) {
        const { stdout, stderr } = await small.cli(['events', 'tail', '-o', 'id', '--max', '3', ...args]);
        expect(stdout.trim().split('\n')).toEqual(ids.slice(-3));
        expect(stderr).toMatch(
          /^warning: event \d+ is older than the stored events, so events after it may be missing/,
        );
        expect(stderr.trim().split('\n')).toHaveLength(1);
      }
      const timed = await small.cli(['events', 'tail', '--since', '1h', '--no-follow', '-o', 'id']);
      expect(timed.stdout.trim().split('\n')).toEqual(ids.slice(-3));
      expect(timed.stderr).toMatch(/^the oldest stored event is from \S+Z\n$/);
    } finally {
      await small.remove();
    }
  });
});

describe('a tail from a cursor from before a restore', () => {
  it('starts with the oldest event, and reports that events may be missing', async () => {
    const own = inProcessHome(NO_ENGINE);
    try {
      await own.up();
      const folder = join(own.folder, 'actor');
      mkdirSync(folder);
      writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
      await own.json('actors', 'create', `file://${folder}`, '--name', 'one', '--wait');
      const tick = async () => (await own.json<{ id: string }>('events', 'emit', 'TICK', '--actor', 'one')).id;
      const stored = async (): Promise<readonly string[]> =>
        (await own.json<readonly { id: string }[]>('events', 'list', '--reverse', '--all')).map(({ id }) => id);
      await tick();
      await own.cli(['snapshot', 'create', 'early']);
      const last = await tick();
      const seen = await own.cli(['events', 'tail', '--since', '0', '--no-follow', '--jq', '.cursor', '--raw']);
      const cursor = seen.stdout.trim().split('\n').at(-1) ?? '';
      expect(cursor.endsWith(`.${last}`)).toBe(true);
      expect(await own.cli(['snapshot', 'restore', 'early', '--replace'])).toMatchObject({ code: 0 });
      const login = ['login', '--username', 'dev', '--password-stdin', '--force'];
      expect(await own.cli(login, { input: 'correct horse battery' })).toMatchObject({ code: 0 });
      // The number of the cursor is used again, by another event.
      while (Number(await tick()) <= Number(last));
      const from = (begin: string, ...more: string[]) =>
        own.cli(['events', 'tail', '-o', 'id', '--since', begin, ...more]);
      for (const more of [['--no-follow'], ['--max', String((await stored()).length)]]) {
        const { stdout, stderr } = await from(cursor, ...more);
        expect(stdout.trim().split('\n')).toEqual(await stored());
        expect(stderr).toContain(`event ${last} is from before the data of the service were replaced`);
      }
      const plain = await from(last, '--no-follow');
      expect(plain.stdout.trim().split('\n')).toEqual((await stored()).slice(-1));
      expect(plain.stderr).toBe('');
    } finally {
      await own.remove();
    }
  });
});
