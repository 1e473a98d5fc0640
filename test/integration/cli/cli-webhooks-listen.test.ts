// `webhooks listen` with the built programs: it receives and saves deliveries, fails on request, and restores
// the webhook.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { until } from '../../support/daemon/daemon.ts';
import { program } from '../../support/daemon/home.ts';
import { call } from '../../support/service/call.ts';

let home: SharedHome;
let receiver: Receiver;

beforeAll(async () => {
  home = await sharedHome();
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
  await home.json('actors', 'create', `file://${folder}`, '--name', 'clean', '--wait');
});

afterAll(() => home.remove());

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** A listener in the background. `url` is set as soon as it listens. */
const listen = async (...args: string[]) => {
  const running = home.start(['webhooks', 'listen', ...args, '--json', '--verbose']);
  const closed = running.ended.then(({ code }) => code);
  let over = false;
  void closed.finally(() => {
    over = true;
  });
  const ready = args.includes('--actor') ? 'until this command ends' : 'listening on';
  await until(() => running.err().includes(ready) || over, 5);
  return {
    interrupt: running.interrupt,
    closed,
    url: /listening on (\S+) /.exec(running.err())?.[1] ?? '',
    err: running.err,
    seen: () =>
      running
        .out()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>])),
  };
};

const emit = (type = 'TICK', data = '{}') =>
  home.json<{ id: string; deliveries: { webhook: string } }>(
    'events',
    'emit',
    type,
    '--actor',
    'clean',
    '--data',
    data,
  );

const webhook = async (): Promise<unknown> => (await home.json('webhooks', 'show', 'clean'))['webhook'];

describe('webhooks listen', () => {
  it('prints each delivery, saves its body, and restores the webhook at an interruption', async () => {
    await home.json('webhooks', 'set', 'clean', receiver.url);
    const listening = await listen('--actor', 'clean', '--save', join(home.folder, 'kept'));
    expect(await webhook()).toBe(listening.url);
    const { id, deliveries } = await emit('TICK', '{"exit_code":3}');
    await until(() => listening.seen().length > 0);
    expect(listening.seen()).toEqual([
      {
        delivery: deliveries.webhook,
        event: expect.objectContaining({ event_type: 'TICK', exit_code: 3, _svc_username: 'Actor Service Event' }),
        response: { status: 200, ms: expect.any(Number) },
      },
    ]);
    const again = await home.json('events', 'redeliver', id, '--to', 'webhook');
    await until(() => listening.seen().length > 1);
    expect(listening.seen()[1]).toMatchObject({ delivery: again['delivery_id'] });
    listening.interrupt();
    expect(await listening.closed).toBe(0);
    expect(await webhook()).toBe(receiver.url);
    const [kept = ''] = readdirSync(join(home.folder, 'kept'));
    expect(kept).toBe(`000001-TICK-${deliveries.webhook}.json`);
    expect(JSON.parse(readFileSync(join(home.folder, 'kept', kept), 'utf8'))).toEqual(listening.seen()[0]?.['event']);
    await home.json('webhooks', 'unset', 'clean');
  });

  it('does not restore the webhook if it was changed in the meantime', async () => {
    const listening = await listen('--actor', 'clean');
    await home.json('webhooks', 'set', 'clean', receiver.url);
    listening.interrupt();
    expect(await listening.closed).toBe(0);
    expect(await webhook()).toBe(receiver.url);
    expect(listening.err()).toContain(`was changed to ${receiver.url} meanwhile, so it is not restored`);
    await home.json('webhooks', 'unset', 'clean');
  });

  it('refuses an actor whose webhook belongs to another listener, and accepts it after that listener has ended', async () => {
    await home.json('webhooks', 'set', 'clean', receiver.url);
    const first = await listen('--actor', 'clean');
    expect(await home.cli(['webhooks', 'listen', '--actor', 'clean'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`another "actorctl webhooks listen" receives it at ${first.url}`),
    });
    expect(await webhook()).toBe(first.url);
    first.interrupt();
    await first.closed;
    const second = await listen('--actor', 'clean', '--actor', 'clean');
    expect(await webhook()).toBe(second.url);
    second.interrupt();
    await second.closed;
    expect(await webhook()).toBe(receiver.url);
    await home.json('webhooks', 'unset', 'clean');
  });

  describe('restores the webhook', () => {
    const listening = `'${process.execPath}' '${program}' webhooks listen --actor clean --json --verbose`;
    /** Runs a line of bash until it ends. */
    const shell = (line: string) => {
      const child = spawn('bash', ['-c', line], { env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (out += String(piece)));
      const closed = once(child, 'close');
      return { child, closed, out: () => out, listens: () => until(() => out.includes('until this command ends'), 20) };
    };
    beforeEach(() => home.json('webhooks', 'set', 'clean', receiver.url));
    afterEach(() => home.json('webhooks', 'unset', 'clean'));

    it('when the reader of the output has closed the pipe', async () => {
      const { closed, out, listens } = shell(`${listening} | head -1; echo "ended with \${PIPESTATUS[0]}"`);
      await listens();
      await emit();
      await until(() => out().includes('"TICK"'));
      await closed;
      expect(out()).toContain('ended with 0\n');
      expect(out()).not.toMatch(/EPIPE|error| {4}at /);
      expect(await webhook()).toBe(receiver.url);
    });

    it('when its terminal is closed', async () => {
      const { child, listens } = shell(`exec script -qefc "exec ${listening}" /dev/null`);
      await listens();
      expect(await webhook()).not.toBe(receiver.url);
      child.kill('SIGKILL');
      await until(async () => (await webhook()) === receiver.url, 20);
    });
  });

  it('fails on request by a status or by a disconnect, and forwards nothing then', async () => {
    const failing = await listen('--status', '503', '--max', '1', '--forward-to', receiver.url);
    expect((await call(failing.url, 'POST', '', { json: {} })).status).toBe(503);
    expect(await failing.closed).toBe(0);
    const dropping = await listen('--drop', '--actor', 'clean', '--max', '1');
    const { deliveries } = await emit();
    expect(await dropping.closed).toBe(0);
    expect(dropping.seen()).toMatchObject([{ response: { status: null } }]);
    await until(async () => {
      const failed = await home.json<{ id: string }[]>('webhooks', 'deliveries', 'clean', '--failed');
      return failed.some(({ id }) => id === deliveries.webhook);
    });
    expect(receiver.received).toEqual([]);
  });

  it('accepts JSON by POST only, because any web page could send other requests', async () => {
    const listening = await listen('--max', '1');
    expect((await call(listening.url, 'GET', '')).status).toBe(405);
    expect((await call(listening.url, 'POST', '', { form: { a: 'b' } })).status).toBe(415);
    const large = await call(listening.url, 'POST', '', { json: 'x'.repeat(1_100_000) });
    expect(large.status).toBe(413);
    expect(listening.seen()).toEqual([]);
    expect((await call(listening.url, 'POST', '', { json: { no: 'event' } })).status).toBe(200);
    expect(await listening.closed).toBe(0);
    expect(listening.seen()).toMatchObject([{ delivery: null, event: { no: 'event' } }]);
  });

  it('exits with 11 without the expected delivery, with 8 at a timeout, else with 0', async () => {
    const [met, missed] = await Promise.all([
      listen('--expect', '.exit_code == 3', '--max', '1'),
      listen('--expect', '.exit_code == 3', '--exit-on', 'TICK'),
    ]);
    const event = { actor_id: 'A', event_type: 'TICK', event_time_display: '2026-11-21T12:00:00.000Z', exit_code: 3 };
    await call(met.url, 'POST', '', { json: event });
    await call(missed.url, 'POST', '', { json: { ...event, exit_code: 0 } });
    expect([await met.closed, await missed.closed]).toEqual([0, 11]);
    expect(await home.cli(['webhooks', 'listen', '--timeout', '200ms'])).toMatchObject({ code: 8 });
    expect(await home.cli(['webhooks', 'listen', '--timeout', '200ms', '--expect', 'TICK'])).toMatchObject({
      code: 11,
    });
  });

  it.each<[string[], number, string]>([
    [['--forward-to', 'ftp://127.0.0.1/'], 2, '--forward-to'],
    [['--forward-to', 'hook'], 2, '--forward-to http://127.0.0.1:3000/hook'],
    [['--fail-rate', '1.5'], 2, '--fail-rate'],
    [['--status', '99'], 2, '--status'],
    [['--port', '70000'], 2, '--port'],
    [['--actor', 'nobody'], 6, 'no actor "nobody"'],
    [['--bind', '203.0.113.7'], 9, '203.0.113.7'],
  ])('%j exits with %i', async (args, code, words) => {
    expect(await home.cli(['webhooks', 'listen', ...args])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  });

  it('fails on a port that is in use', async () => {
    expect(await home.cli(['webhooks', 'listen', '--port', String(receiver.port)])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`port ${receiver.port} is in use`),
    });
  });
});
