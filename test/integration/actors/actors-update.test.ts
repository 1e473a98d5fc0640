// Updating and deleting actors over HTTP.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../../../daemon/actors/registry/service.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('actors.update', () => {
  it('replaces the description and the name, keeps fixed fields, and increments the revision', async () => {
    const id = await service.actor('ana', { name: 'n', description: 'd', hints: ['h'], token: true });
    const same = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine' } });
    expect(same.result).toMatchObject({ id, name: 'n', description: '', hints: [], token: false, revision: 1 });
    const renamed = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', name: 'm' } });
    expect(renamed.result).toMatchObject({ id, name: 'm', revision: 1 });
    const next = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { form: { image: 'busybox', description: 'e' } });
    expect(next.result).toMatchObject({ image: 'busybox', description: 'e', revision: 2, status: 'SUBMITTED' });
    const forced = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { form: { image: 'busybox', force: 'true' } });
    expect(forced.result).toMatchObject({ revision: 3 });
    expect(service.scheduler.calls.filter((what) => what === `actorChanged:${id}`)).toHaveLength(3);
  });

  it('with If-Match requires that version, so one of two concurrent updates is refused', async () => {
    const id = await service.actor('ana');
    const put = (version: string) =>
      service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine' }, headers: { 'if-match': version } });
    const both = await Promise.all([put('"1"'), put('1')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)).toMatchObject(failed('STALE_VERSION', /version 2, not 1/));
    await service.ask('ana', 'PUT', `/actors/v2/${id}/cron`, { json: { cronSchedule: '@daily' } });
    expect(await put('"2"')).toMatchObject({ status: 409 });
    expect((await put('*')).result).toMatchObject({ version: 4 });
    expect(await put('"soon"')).toMatchObject({ status: 400, ...failed('VALIDATION', /If-Match/) });
  });

  it('R223 of an actor that an admin limited needs no role, and changes the limits only with it', async () => {
    const id = await service.actor('ana');
    const put = (as: 'ana' | 'admin', json: object) =>
      service.ask(as, 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', ...json } });
    expect((await put('admin', { memLimit: '512m' })).status).toBe(200);
    for (const sent of [{}, { memLimit: '512m', privileged: false }]) {
      const { status, result } = await put('ana', { ...sent, description: 'new' });
      expect([status, result['memLimit'], result['description']]).toEqual([200, '512m', 'new']);
    }
    expect(await put('ana', { memLimit: '1g' })).toMatchObject({ status: 403, ...failed('FORBIDDEN', /^memLimit: /) });
    expect((await put('admin', {})).result).not.toHaveProperty('memLimit');
  });

  it('refuses what actors.create refuses, and a change of stateless', async () => {
    const id = await service.actor('ana', { stateless: false });
    const put = (json: unknown) => service.ask('ana', 'PUT', `/actors/v2/${id}`, { json });
    expect(await put({})).toMatchObject({ status: 400, ...failed('VALIDATION', /image/) });
    expect(await put({ image: 'alpine', stateless: true })).toMatchObject({
      status: 400,
      ...failed('VALIDATION', /stateless/),
    });
    expect(await put({ image: 'alpine', privileged: true })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /privileged/),
    });
    expect((await put({ image: 'alpine' })).result).toMatchObject({ stateless: false });
  });
});

describe('actors.delete', () => {
  it('deletes the actor with everything that belongs to it, and a second deletion is 404', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id, 'x'.repeat(100_000));
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('text'));
    await log.close();
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).toMatchObject({
      status: 200,
      json: { result: null },
    });
    expect(service.scheduler.calls).toContain(`retire:${id}`);
    expect(service.store.get('actors', id)).toBeUndefined();
    for (const collection of ['messages', 'executions', 'workers'] as const) {
      expect(service.store.by(collection, 'actor', id)).toEqual([]);
    }
    expect(await service.logs.read(execution)).toBe('');
    expect(readdirSync(join(service.folder, 'bodies'))).toEqual([]);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).status).toBe(404);
  });

  it('is refused during an execution unless it is forced', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    await service.scheduler.start(execution, 1);
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${id}`)).toMatchObject({
      status: 409,
      ...failed('ACTOR_BUSY', /force/),
    });
    expect(service.store.get('actors', id)?.status).toBe('SUBMITTED');
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${id}?force=true`)).status).toBe(200);
    expect(service.store.get('executions', execution)).toBeUndefined();
  });

  it('is completed at the next start after an interruption, and until then the actor refuses messages and updates', async () => {
    const id = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor) tx.put('actors', { ...actor, status: 'SHUTTING_DOWN' });
    });
    const sent = await service.ask('ana', 'POST', `/actors/v2/${id}/messages?message=x`);
    expect(sent).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
    const put = await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', force: true } });
    expect(put).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
    await registry(service.dependencies).resumeDeletions();
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}`)).status).toBe(404);
  });
});
