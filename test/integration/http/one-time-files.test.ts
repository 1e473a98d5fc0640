// Files that runs fetch once, on the listener that other machines reach.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileOffers } from '../../../daemon/executor/swarm/file-offers.ts';
import { type ComposedServices, composeServices } from '../../support/service/composed-services.ts';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let folder: string;
let composed: ComposedServices;
let base: string | undefined;
let offers: ReturnType<typeof createFileOffers>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'actorctl-offers-'));
  offers = createFileOffers(path.join(folder, 'offers'), async () => base);
  composed = await composeServices(quiet);
  const { port } = await composed.listen((hosts) => composed.services.app(hosts, true, offers));
  base = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  await composed.close();
  await rm(folder, { recursive: true, force: true });
});

const text = (content: string) => ({ bytes: Buffer.from(content) });
const get = (url: string, method = 'GET') => fetch(url, { method });

describe('a file for a run', () => {
  it('is served once, without a token', async () => {
    const url = await offers.offer('run-1', text('hello'));
    expect(url).toMatch(new RegExp(`^${base}/one-time-files/run-1/[A-Za-z0-9_-]{43}$`));
    const first = await get(url);
    expect([first.status, await first.text(), first.headers.get('cache-control')]).toEqual([200, 'hello', 'no-store']);
    expect((await get(url)).status).toBe(404);
  });

  it('is served to only one of several simultaneous requests', async () => {
    const url = await offers.offer('run-1', text('x'.repeat(100_000)));
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(url)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(404)]);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  });

  it('is not taken by another method, another run or a wrong secret', async () => {
    const url = await offers.offer('run-1', text('hello'));
    for (const method of ['HEAD', 'POST', 'DELETE']) expect((await get(url, method)).status).not.toBe(200);
    for (const other of [url.replace('run-1', 'run-2'), `${url.slice(0, -1)}_`, `${base}/one-time-files/..%2f..%2fx/y`])
      expect((await get(other)).status).toBe(404);
    expect(await (await get(url)).text()).toBe('hello');
  });

  it('survives the deletion of its source file, and a restart of the daemon', async () => {
    const file = path.join(folder, 'body');
    await writeFile(file, 'a body');
    const url = await offers.offer('run-1', { file });
    await rm(file);
    const restarted = createFileOffers(path.join(folder, 'offers'), async () => base);
    const [, , , , ref = '', secret = ''] = url.split('/');
    const taken = await restarted.take(ref, secret);
    expect(taken?.size).toBe(6);
    taken?.content.resume();
  });

  it('is withdrawn together with its run, and when its run no longer exists', async () => {
    const urls = await Promise.all(['run-1', 'run-2', 'run-3'].map((ref) => offers.offer(ref, text('x'))));
    await offers.withdraw('run-1');
    await offers.keepOnly(new Set(['run-3']));
    expect(await Promise.all(urls.map(async (url) => (await get(url)).status))).toEqual([404, 404, 200]);
  });

  it('is stored under the hash of its secret', async () => {
    const url = await offers.offer('run-1', text('x'));
    const [name = ''] = await readdir(path.join(folder, 'offers', 'run-1'));
    expect(url).not.toContain(name);
  });

  it('is refused if the nodes do not reach the daemon', async () => {
    base = undefined;
    await expect(offers.offer('run-1', text('x'))).rejects.toMatchObject({ kind: 'start' });
  });

  it('is refused to a request that names another host', async () => {
    const url = new URL(await offers.offer('run-1', text('x')));
    const status = await new Promise((resolve) =>
      request(url, { headers: { host: 'elsewhere.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end(),
    );
    expect(status).toBe(421);
  });
});
