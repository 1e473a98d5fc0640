// Webhooks that lead back to an actor that caused the event: the loop ends before an actor runs twice for one message.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { until } from '../../support/daemon/daemon.ts';

let home: SharedHome;
const made: string[] = [];

beforeAll(async () => {
  home = await sharedHome();
});
afterAll(() => home.remove());
afterEach(async () => {
  for (const name of made.splice(0)) await home.json('actors', 'delete', name, '--force', '--yes');
});

/** An actor, and the URL at which its messages are accepted from a webhook. */
const actor = async (name: string, host = '127.0.0.1') => {
  const folder = join(home.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
  const { id } = await home.json<{ id: string }>('actors', 'create', `file://${folder}`, '--name', name, '--wait');
  made.push(name);
  const { id: nonce } = await home.json<{ id: string }>('nonces', 'create', name);
  const { daemon } = await home.json<{ daemon: { base_url: string } }>('status');
  const url = new URL(`/actors/v2/${id}/messages?x-nonce=${nonce}`, daemon.base_url);
  url.hostname = host;
  return { name, url: url.href };
};

const deliveries = (name: string) =>
  home.json<readonly { status: string; error?: string }[]>('webhooks', 'deliveries', name);
const executions = async (name: string): Promise<number> =>
  (await home.json<readonly unknown[]>('executions', 'list', name, '--all')).length;

const LOOP = {
  status: 'FAILED',
  error: 'the receiver responded with 400: the event would go in a loop, because an event of that actor led to it',
};

/** Waits until the latest delivery of the actor was refused as a loop. */
const refused = (name: string) => expect.poll(async () => (await deliveries(name))[0]).toMatchObject(LOOP);

it.each(['127.0.0.1', 'localhost'])('a webhook to the messages of its own actor at %s sends nothing', async (host) => {
  const { name, url } = await actor(`own-${host.length}`, host);
  await home.json('webhooks', 'set', name, url);
  await home.json('run', name, '-m', 'hi');
  await refused(name);
  expect(await executions(name)).toBe(1);
});

it('a loop of a webhook and a link ends at the actor where it began', async () => {
  const [first, second] = [await actor('first'), await actor('second')];
  await home.json('webhooks', 'set', first.name, second.url);
  await home.json('links', 'set', second.name, first.name);
  await home.json('run', first.name, '-m', 'hi');
  await expect.poll(() => executions(first.name)).toBe(2);
  await refused(first.name);
  expect([await executions(first.name), await executions(second.name)]).toEqual([2, 1]);
});

it('a webhook chain without a loop runs each actor once', async () => {
  const [first, second, third] = [await actor('one'), await actor('two'), await actor('three')];
  await home.json('webhooks', 'set', first.name, second.url);
  await home.json('webhooks', 'set', second.name, third.url);
  await home.json('run', first.name, '-m', 'hi');
  await expect.poll(() => executions(third.name)).toBe(1);
  expect((await deliveries(second.name))[0]).toMatchObject({ status: 'DELIVERED' });
});

it('a loop through `webhooks listen --forward-to` is refused too', async () => {
  const { name, url } = await actor('forwarded');
  const listening = home.start(['webhooks', 'listen', '--actor', name, '--forward-to', url, '--json', '--verbose']);
  await until(() => listening.err().includes('until this command ends'), 5);
  await home.json('run', name, '-m', 'hi');
  await expect.poll(() => listening.out()).toMatch(/"status":400/);
  expect(await executions(name)).toBe(1);
  listening.interrupt();
  expect((await listening.ended).code).toBe(0);
});
