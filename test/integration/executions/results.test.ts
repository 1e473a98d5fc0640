// Results over HTTP: posted from inside an execution, retrieved one at a time, limited, and deleted after a while.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningInside } from '../../support/scenarios/resources.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const files = () => readdirSync(join(service.folder, 'bodies'));

const inside = async () => {
  const { executionId, path, headers } = await runningInside(service);
  return {
    executionId,
    path,
    post: (body: string | Uint8Array, type = 'application/octet-stream') =>
      service.ask(undefined, 'POST', path, { body, headers: { ...headers, 'content-type': type } }),
    take: () => service.ask('ana', 'GET', path),
    headers,
  };
};

describe('the results of an execution', () => {
  it('are returned one at a time in the order of posting, and then an empty body', async () => {
    const run = await inside();
    const sent = ['one', 'L'.repeat(131_072), '{"three":3}', 'f'.repeat(5_000)];
    for (const [index, body] of sent.entries()) {
      expect(await run.post(body)).toMatchObject({
        status: 200,
        result: { bytes: body.length, waiting: index + 1 },
      });
    }
    expect(files()).toHaveLength(2);
    for (const body of sent) expect((await run.take()).text === body, body.slice(0, 20)).toBe(true);
    expect(await run.take()).toMatchObject({
      status: 200,
      text: '',
      headers: {
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-length': '0',
      },
    });
    expect(files()).toEqual([]);
  });

  it('are returned byte for byte, whatever their content type', async () => {
    const run = await inside();
    const bytes = Buffer.from(Array.from({ length: 8_192 }, (_, index) => (index * 7) % 256));
    await run.post(bytes, 'application/json');
    expect(await service.dependencies.results.take(run.executionId)).toEqual(bytes);
    await run.post(bytes.subarray(0, 300), 'multipart/form-data');
    expect(await service.dependencies.results.take(run.executionId)).toEqual(bytes.subarray(0, 300));
  });

  it('are each returned to one of several simultaneous requests', async () => {
    const run = await inside();
    const sent = Array.from({ length: 20 }, (_, index) => `result ${index}`);
    await Promise.all(sent.map((body) => run.post(body)));
    const taken = await Promise.all(Array.from({ length: 30 }, () => run.take()));
    expect(
      taken
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .toSorted(),
    ).toEqual(sent.toSorted());
  });

  it('are not consumed by a HEAD request', async () => {
    const run = await inside();
    await run.post('kept');
    await service.ask('ana', 'HEAD', run.path);
    expect((await run.take()).text).toBe('kept');
  });

  it('R154 are posted only by the execution itself, not by another execution, its owner or an admin', async () => {
    const [run, other] = [await inside(), await inside()];
    const refused = failed('FORBIDDEN', /execution itself/);
    expect(await service.ask(undefined, 'POST', run.path, { body: 'x', headers: other.headers })).toMatchObject(
      failed('FORBIDDEN', /its own results/),
    );
    expect(await service.ask('ana', 'POST', run.path, { body: 'x' })).toMatchObject(refused);
    expect(await service.ask('admin', 'POST', run.path, { body: 'x' })).toMatchObject(refused);
    expect((await run.take()).text).toBe('');
  });

  it('are not found below another actor or by a user without permission', async () => {
    const run = await inside();
    await run.post('x');
    const elsewhere = `/actors/v2/${await service.actor('ana')}/executions/${run.executionId}/results`;
    expect(await service.ask('ana', 'GET', elsewhere)).toMatchObject(failed('NOT_FOUND'));
    expect(await service.ask('bob', 'GET', run.path)).toMatchObject(failed('NOT_FOUND'));
  });

  it('are limited in number and size', async () => {
    const run = await inside();
    const large = Buffer.alloc(131_072, 'x');
    for (let index = 0; index < 128; index += 1) expect((await run.post(large)).status).toBe(200);
    expect(await run.post('one more')).toMatchObject({
      status: 429,
      ...failed('THROTTLED', /128 results are waiting/),
    });
    await run.take();
    expect((await run.post('one more')).status).toBe(200);
  });

  it('are deleted with their files twenty minutes after the last use', async () => {
    const run = await inside();
    await run.post('small');
    await run.post('l'.repeat(10_000));
    const large = service.store.by('results', 'execution', run.executionId)[1]?.bodyFile;
    service.advance(15 * 60_000);
    expect((await run.take()).text).toBe('small');
    service.advance(15 * 60_000);
    await service.dependencies.results.sweep();
    expect(files()).toContain(large);
    service.advance(5 * 60_000);
    expect((await run.take()).text).toBe('');
    await service.dependencies.results.sweep();
    expect(files()).not.toContain(large);
    expect(service.store.countBy('results', 'execution', run.executionId)).toBe(0);
    expect((await run.post('anew')).result).toMatchObject({ waiting: 1 });
  });

  it.each([
    ['taken', 'first'],
    ['swept', undefined],
  ])('can be %s while the first one is being stored', async (how, expected) => {
    service.advance(30 * 60_000);
    const { executionId } = await inside();
    const { results } = service.dependencies;
    // Of earlier tests, whose results would be swept first.
    await results.sweep();
    let meanwhile: Promise<Buffer | undefined> | undefined;
    const unwatch = service.store.watch('results', (stored) => {
      if (stored.executionId !== executionId) return;
      meanwhile ??= how === 'taken' ? results.take(executionId) : results.sweep().then(() => undefined);
    });
    await results.put(executionId, Buffer.from('first'));
    unwatch();
    expect((await meanwhile)?.toString()).toBe(expected);
    expect((await results.take(executionId))?.toString()).toBe(how === 'taken' ? undefined : 'first');
  });

  it('are deleted with their actor', async () => {
    const run = await inside();
    await run.post('l'.repeat(10_000));
    const actor = run.path.split('/')[3];
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${actor}?force=true`)).status).toBe(200);
    expect(service.store.countBy('results', 'execution', run.executionId)).toBe(0);
    expect(files()).toEqual([]);
  });
});

describe('a synchronous message', () => {
  it('is answered with the first result as soon as it arrives, and that result is removed', async () => {
    const id = await service.actor('ana');
    const waiting = service.ask('ana', 'POST', `/actors/v2/${id}/messages?_svc_synchronous=true`, {
      form: { message: 'hi' },
    });
    await expect.poll(() => service.store.by('executions', 'actor', id)).toHaveLength(1);
    const executionId = service.store.by('executions', 'actor', id)[0]?.id ?? '';
    await service.scheduler.start(executionId, 1);
    await service.dependencies.results.put(executionId, Buffer.from('first'));
    expect(await waiting).toMatchObject({
      status: 200,
      text: 'first',
      headers: {
        'content-type': 'application/octet-stream',
        'x-execution-id': executionId,
        'x-execution-status': 'RUNNING',
      },
    });
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/executions/${executionId}/results`)).text).toBe('');
  });
});
