// The virtual clock from the command line: an instance created with it, commands that move it, and refusals.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;

/** The image is never pulled, so the messages of the plans wait. */
const cronActor = (name: string, schedule: string) =>
  home.json('actors', 'create', 'nowhere/image', '--name', name, '--cron', schedule);

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up('--virtual-clock', '2030-01-01');
});
afterAll(() => home.remove());

describe('a virtual clock', () => {
  it('stands still at the time of the first start, as shown by status and clock show', async () => {
    expect(await home.json('clock', 'show')).toMatchObject({
      virtual: true,
      time: '2030-01-01T00:00:00.000Z',
      running: false,
      made_at: '2030-01-01T00:00:00.000Z',
      target: null,
      next: [],
    });
    const line = 'virtual  2030-01-01T00:00:00Z  paused';
    expect((await home.cli(['clock', 'show'])).stdout).toContain(`clock     ${line}\n`);
    expect((await home.cli(['status'])).stdout).toContain(`clock     ${line}\n`);
    expect((await home.cli(['up'])).stdout).toContain(`  Clock    ${line}\n`);
    expect(await home.json('status')).toMatchObject({ clock: { virtual: true, time: '2030-01-01T00:00:00.000Z' } });
  });

  it('fires an hourly plan of a year in order, and says that executions run in real time', async () => {
    await cronActor('hourly', '@hourly');
    const { code, stdout, stderr } = await home.cli(['clock', 'advance', '1y']);
    expect([code, stdout]).toEqual([
      0,
      'The clock is paused at 2031-01-01T00:00:00Z (8760 cron messages sent since 2030-01-01T00:00:00Z)\n',
    ]);
    expect(stderr).toContain('executions run in real time: 0 running, 8760 messages waiting');
    const [newest] = await home.json<readonly unknown[]>('executions', 'list', 'hourly', '--limit', '1');
    expect(newest).toMatchObject({ trigger: 'cron', message_received_time: '2031-01-01T00:00:00.000Z' });
    expect(await home.json('cron', 'show', 'hourly')).toMatchObject({ cron_next_time: '2031-01-01T01:00:00.000Z' });
  });

  it('asks for confirmation before it sends more messages than a limit', async () => {
    const asked = await home.cli(['clock', 'advance', '2y']);
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain(
      '17544 cron messages will be sent until 2033-01-01T00:00:00Z, more than 10000 (--max)',
    );
    const few = await home.cli(['clock', 'advance', '3h', '--max', '2']);
    expect(few.code).toBe(3);
    expect(few.stderr).toContain('3 cron messages will be sent until 2031-01-01T03:00:00Z, more than 2 (--max)');
    expect(await home.json('clock', 'advance', '3h', '--max', '3')).toMatchObject({ fired: 3 });
    expect(await home.json('clock', 'advance', '3h', '--max', '2', '--yes')).toMatchObject({
      fired: 3,
      from: '2031-01-01T03:00:00.000Z',
      time: '2031-01-01T06:00:00.000Z',
    });
  });

  it.each([
    ['set 2020-01-01', 'The clock cannot go back: it is at 2031-01-01T06:00:00Z, and 2020-01-01T00:00:00Z is earlier.'],
    ['set 1000000-01-01', 'is not an instant from 1970-01-01 to 9999-12-31'],
    ['set 10m', 'is not an instant from 1970-01-01 to 9999-12-31'],
    ['advance 0s', '"0s" is not a duration above zero'],
    ['advance -- -3h', '"-3h" is not a duration above zero'],
    ['advance soon', '"soon" is not a duration above zero'],
    ['advance 1000000y', 'The clock ends at 9999-12-31T23:59:59.999Z'],
    ['advance 7000y', 'More than 1000000 cron messages are due'],
  ])('refuses "clock %s" and stays where it is', async (line, message) => {
    const { code, stderr } = await home.cli(['clock', ...line.split(' ')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await home.json('clock', 'show')).toMatchObject({ time: '2031-01-01T06:00:00.000Z' });
  });

  it('makes access tokens expire, and the login is renewed', async () => {
    const token = (await home.cli(['auth', 'token'])).stdout.trim();
    expect((await home.cli(['actors', 'list'], { env: { ACTORCTL_TOKEN: token } })).code).toBe(0);
    await home.json('clock', 'advance', '4h');
    const late = await home.cli(['actors', 'list'], { env: { ACTORCTL_TOKEN: token } });
    expect([late.code, late.stderr]).toEqual([4, expect.stringContaining('expired')]);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
  });

  it('defines the current time for ages, relative times and login lifetimes', async () => {
    expect(
      (await home.cli(['executions', 'list', 'hourly', '--since', '1410m', '-q', '--all'])).stdout.match(/\S+/g),
    ).toHaveLength(24);
    await cronActor('late', '@daily');
    await home.json('clock', 'advance', '2h');
    const row = (await home.cli(['actors', 'list', '-o', 'wide'])).stdout;
    expect(row).toContain('2031-01-01');
    expect((await home.cli(['whoami'])).stdout).toContain('expires in');
    expect((await home.cli(['whoami'])).stdout).not.toMatch(/expires in \d+d/);
    // The daemon started a year and a few hours ago.
    expect((await home.cli(['activity'])).stdout).toMatch(/^daemon .* up 365d\d+h\n/);
    expect((await home.cli(['doctor'])).stdout).toMatch(/token .* is accepted, \d+h\d*m? left\n/);
    const { headers } = await fetch(
      `${(await home.json<{ daemon: { base_url: string } }>('status')).daemon.base_url}/healthz`,
    );
    expect(headers.get('x-virtual-clock')).toBe((await home.json<{ time: string }>('clock', 'show')).time);
  });

  it('stands still while the daemon is down, and belongs to the instance', async () => {
    const { time } = await home.json<{ time: string }>('clock', 'show');
    await home.json('down');
    expect((await home.cli(['clock', 'advance', '1h'])).code).toBe(9);
    const other = await home.cli(['up', '--port', 'auto', '--no-virtual-clock']);
    expect([other.code, other.stderr]).toEqual([
      7,
      expect.stringContaining('this instance was created with a virtual clock, which cannot be changed'),
    ]);
    const later = await home.cli(['up', '--port', 'auto', '--virtual-clock', '2031-01-01']);
    expect([later.code, later.stderr]).toEqual([7, expect.stringContaining('began at 2030-01-01T00:00:00Z')]);
    await home.json('up', '--port', 'auto');
    expect(await home.json('clock', 'show')).toMatchObject({ time, running: false });
    expect((await home.cli(['up', '--virtual-clock'])).code).toBe(0);
    expect((await home.cli(['up', '--virtual-clock', '2030-01-01T01:00:00+01:00'])).code).toBe(0);
    expect((await home.cli(['up', '--no-virtual-clock'])).code).toBe(7);
  });

  it('runs between resume and pause', async () => {
    const from = Date.parse((await home.json<{ time: string }>('clock', 'show')).time);
    expect(await home.json('clock', 'resume')).toMatchObject({ running: true });
    expect((await home.cli(['status'])).stdout).toMatch(/^clock {5}virtual {2}\S+ {2}runs$/m);
    const { time, running } = await home.json<{ time: string; running: boolean }>('clock', 'pause');
    expect([running, Date.parse(time) > from]).toEqual([false, true]);
    expect(await home.json('clock', 'show')).toMatchObject({ time, running: false });
  });
});

it('a relative time in the filter of `events tail` counts from the virtual clock', async () => {
  await home.json('events', 'emit', 'EARLY', '--actor', 'hourly');
  await home.json('clock', 'advance', '2h');
  await home.json('events', 'emit', 'LATE', '--actor', 'hourly');
  const { stdout } = await home.cli([
    'events',
    'tail',
    '--no-follow',
    '--since',
    '@0',
    '--filter',
    'event_time_display>=1h',
    '--json',
  ]);
  const types = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event_type: string }).event_type);
  expect(types).toEqual(['LATE']);
});

describe('a virtual clock of a daemon that is reached over HTTP', () => {
  /** Settings of a machine that has neither the data nor the socket of the instance. */
  const elsewhere = async (sent?: string): Promise<NodeJS.ProcessEnv> => ({
    ACTORCTL_HOME: mkdtempSync(join(home.folder, 'elsewhere-')),
    ACTORCTL_BASE_URL: (await home.json<{ daemon: { base_url: string } }>('status')).daemon.base_url,
    ...(sent !== undefined && { ACTORCTL_TOKEN: sent }),
  });
  const token = async (): Promise<string> => (await home.cli(['auth', 'token'])).stdout.trim();
  const time = async (): Promise<string> => (await home.json<{ time: string }>('clock', 'show')).time;

  it('is shown and moved with the login of an admin, and the limit of runs is confirmed', async () => {
    const env = await elsewhere(await token());
    const from = await time();
    const shown = await home.cli(['clock', 'show', '--json'], { env });
    expect(JSON.parse(shown.stdout)).toMatchObject({ virtual: true, time: from, made_at: '2030-01-01T00:00:00.000Z' });
    const asked = await home.cli(['clock', 'advance', '1h', '--max', '0'], { env });
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining('1 cron message will be sent until')]);
    const moved = await home.cli(['clock', 'advance', '1h', '--json'], { env });
    expect(JSON.parse(moved.stdout)).toMatchObject({ from, time: await time(), fired: 1 });
    expect(await time()).not.toBe(from);
    const resumed = await home.cli(['clock', 'resume'], { env });
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('The clock runs from ')]);
    const paused = await home.cli(['clock', 'pause'], { env });
    expect([paused.code, paused.stdout]).toEqual([0, expect.stringContaining('The clock is paused at ')]);
  });

  it('is moved even if the access token expires on the way', async () => {
    const env = await elsewhere(await token());
    const moved = await home.cli(['clock', 'advance', '1d', '--json'], { env });
    expect([moved.code, JSON.parse(moved.stdout)]).toEqual([0, expect.objectContaining({ time: await time() })]);
    const late = await home.cli(['clock', 'show'], { env });
    expect([late.code, late.stderr]).toEqual([4, expect.stringContaining('ACTORCTL_TOKEN')]);
  });

  it('shows only its time to a user, who may not change it', async () => {
    const input = 'second-best-horse';
    await home.cli(['users', 'create', 'ana', '--password-stdin'], { input });
    expect((await home.cli(['login', '--username', 'ana', '--password-stdin', '--force'], { input })).code).toBe(0);
    const env = await elsewhere(await token());
    const shown = await home.cli(['clock', 'show'], { env });
    expect(shown.stdout).toMatch(/^clock {5}virtual {2}\S+ {2}paused\nmachine {3}\S+\n$/);
    expect(JSON.parse((await home.cli(['clock', 'show', '--json'], { env })).stdout)).toMatchObject({
      made_at: null,
      next: [],
      executions: null,
    });
    const moved = await home.cli(['clock', 'advance', '1h'], { env });
    expect([moved.code, moved.stderr]).toEqual([5, expect.stringContaining('needs the role admin')]);
    const none = await home.cli(['clock', 'show'], { env: await elsewhere() });
    expect(none.code).toBe(4);
    // The owner of the data needs no login at the socket of the daemon.
    expect(await home.json('clock', 'advance', '1m')).toMatchObject({ virtual: true });
  });
});

describe('an instance with the clock of the machine', () => {
  it('shows the machine clock, and refuses every command that moves the clock', async () => {
    await home.json('up', '--instance', 'real', '--port', 'auto', '--no-virtual-clock');
    try {
      expect(await home.json('clock', 'show', '--instance', 'real')).toMatchObject({ virtual: false, next: [] });
      for (const line of ['set 2999-01-01', 'advance 3h', 'pause', 'resume']) {
        const { code, stderr } = await home.cli(['clock', ...line.split(' '), '--instance', 'real']);
        expect([code, stderr]).toEqual([7, expect.stringContaining('has the clock of the machine')]);
      }
      const { code, stderr } = await home.cli(['up', '--instance', 'real', '--virtual-clock']);
      expect([code, stderr]).toEqual([7, expect.stringContaining('only a new instance can have a virtual clock')]);
      // The daemon of this instance may have the default port.
      expect(stderr).toContain('try: actorctl up --virtual-clock --port auto --instance OTHER\n');
      expect(await home.json('status', '--instance', 'real')).toMatchObject({ clock: null });
    } finally {
      await home.json('down', '--instance', 'real');
    }
  });
});
