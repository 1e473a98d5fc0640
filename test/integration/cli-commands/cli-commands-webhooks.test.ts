// `webhooks` of the built programs, against a real receiver.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let receiver: Receiver;

beforeAll(async () => {
  [home, receiver] = [await sharedHome(), await startReceiver()];
  const folder = join(home.folder, 'words');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['true'] }));
  await home.cli(['actors', 'create', `file://${folder}`, '--name', 'words', '-e', 'KEPT=1', '--wait']);
});

afterAll(async () => {
  await home.remove();
  await receiver.close();
});

const deliveries = async (...more: string[]) =>
  (await home.json('webhooks', 'deliveries', 'words', ...more)) as unknown as Record<string, unknown>[];

describe('webhooks of a daemon with ACTORCTL_WEBHOOK_PRIVATE=deny', () => {
  let denying: Home;
  beforeAll(async () => {
    denying = inProcessHome({ ...NO_ENGINE, ACTORCTL_WEBHOOK_PRIVATE: 'deny' });
    await denying.up();
    await denying.json('actors', 'create', shellActor(denying.folder), '--name', 'open');
  });
  afterAll(() => denying.remove());

  it.each(['http://127.0.0.1:9/x', 'https://localhost/x', 'http://10.0.0.7/x', 'http://[::1]:9/'])(
    'to %s are refused when they are set, in every command that sets one',
    async (url) => {
      for (const args of [
        ['webhooks', 'set', 'open', url],
        ['actors', 'update', 'open', '--webhook', url],
        ['actors', 'create', shellActor(denying.folder), '--webhook', url],
      ]) {
        const { code, stderr } = await denying.cli(args);
        expect(code).toBe(2);
        expect(stderr).toMatch(/: \S+ is an? \w+ address; this daemon forbids webhooks to private addresses/);
      }
      expect(await denying.json('actors', 'show', 'open')).toMatchObject({ webhook: '', version: 1 });
    },
  );

  it('to a public address and to a name are accepted', async () => {
    for (const url of ['http://203.0.114.5/x', 'https://hooks.example/x'])
      expect(await denying.cli(['webhooks', 'set', 'open', url])).toMatchObject({ code: 0 });
  });
});

describe('webhooks', () => {
  it('set, show and unset change the webhook and keep the other fields of the actor', async () => {
    expect(await home.cli(['webhooks', 'set', 'words', receiver.url])).toMatchObject({
      code: 0,
      stdout: `words: webhook ${receiver.url}\n`,
    });
    expect(await home.json('webhooks', 'show', 'words')).toMatchObject({ name: 'words', webhook: receiver.url });
    expect(await home.json('actors', 'show', 'words')).toMatchObject({ default_environment: { KEPT: '1' } });
    expect(await home.cli(['webhooks', 'unset', 'words'])).toMatchObject({
      code: 0,
      stdout: 'words: webhook removed\n',
    });
    expect((await home.cli(['webhooks', 'unset', 'words'])).stdout).toBe('words: there was no webhook\n');
    expect(await home.json('webhooks', 'show', 'words')).toMatchObject({ webhook: '' });
    expect(await home.cli(['webhooks', 'test', 'words'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no webhook'),
    });
  });

  it('set --test and test print the response of the receiver, and fail if it refuses', async () => {
    expect(await home.cli(['webhooks', 'set', 'words', receiver.url, '--test'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^POST http:\S+ -> 200 in \d+ ms\n$/),
    });
    receiver.answer = (response) => response.writeHead(500).end();
    expect(await home.cli(['webhooks', 'test', 'words'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/ -> failed: the receiver responded with 500 in \d+ ms\n$/),
    });
    receiver.answer = (response) => response.end();
  });

  it('get the end of every execution, deliveries lists them, and redeliver repeats them', async () => {
    const before = receiver.received.length;
    const { code } = await home.cli(['run', 'words', '-m', 'hi']);
    expect(code).toBe(0);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({
      event_type: 'EXECUTION_COMPLETE',
      exit_code: 0,
      status: 'COMPLETE',
    });
    expect((await deliveries('--failed')).map(({ http_status }) => http_status)).toEqual([500]);
    expect(await deliveries('--since', '2099-01-01T00:00:00Z')).toEqual([]);
    const [failed] = await deliveries('--failed');
    const times = (await deliveries()).map(({ create_time }) => String(create_time));
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual([...times].sort().reverse());
    const last = (await deliveries('-n', '1'))[0];
    expect(last).toMatchObject({ event_type: 'EXECUTION_COMPLETE' });
    const repeated = await home.cli(['webhooks', 'redeliver', String(failed?.['id']), String(last?.['id'])]);
    expect(repeated).toMatchObject({ code: 0 });
    expect(repeated.stdout).toMatch(
      new RegExp(`^Redelivered ${String(failed?.['id'])} -> 200 in \\d+ ms\nRedelivered `),
    );
    expect((await deliveries()).filter(({ redelivery_of }) => redelivery_of !== undefined)).toHaveLength(2);
    expect((await home.cli(['webhooks', 'deliveries'])).stdout).toContain('EXECUTION_COMPLETE');
    const shown = await home.cli(['webhooks', 'delivery', String(failed?.['id'])]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toMatch(/attempt \w{13}\s+failed 500\n[\s\S]*attempt \w{13}\s+delivered 200/);
    expect(shown.stdout).toMatch(/x-event-number\s+\d+[\s\S]*"event_type":/);
    expect(await home.json('webhooks', 'delivery', String(failed?.['id']))).toMatchObject({
      http_status: 500,
      attempts: [{ status: 'FAILED' }, { status: 'DELIVERED' }],
    });
  });

  it.each([
    [['webhooks', 'set', 'words', 'http://169.254.169.254/'], 2, 'metadata|link-local'],
    [['webhooks', 'set', 'words', 'ftp://x'], 2, 'absolute URL'],
    [['webhooks', 'show', 'nobody'], 6, 'nobody'],
    [['webhooks', 'deliveries', 'nobody'], 6, 'no actor "nobody"'],
    [['webhooks', 'redeliver', 'nobody'], 6, 'no delivery "nobody"'],
    [['webhooks', 'deliveries', '-n', '0'], 2, '--newest'],
  ])('%j exits with %i', async (args, code, words) => {
    expect(await home.cli(args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(words) });
  });
});
