// Cron plans over HTTP: as fields of an actor, and by their own routes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const put = (as: Name, id: string, json: Readonly<Record<string, unknown>>) =>
  service.ask(as, 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', ...json } });
const set = (as: Name, id: string, json: Readonly<Record<string, unknown>>) =>
  service.ask(as, 'PUT', `/actors/v2/${id}/cron`, { json });
const show = (as: Name, id: string, query = '') => service.ask(as, 'GET', `/actors/v2/${id}/cron${query}`);

/** The cron fields of an actor. Of each time, only whether it is set. */
const fieldsOf = async (id: string) => {
  const { cronSchedule, cronOn, cronNextEx, cronNextTime, cronTimeZone, cronMessage } = (
    await service.ask('ana', 'GET', `/actors/v2/${id}`)
  ).result;
  return { cronSchedule, cronOn, next: [typeof cronNextEx, typeof cronNextTime], cronTimeZone, cronMessage };
};
const on = ['string', 'string'];
const none = ['undefined', 'undefined'];

describe('a schedule as fields of an actor', () => {
  it('is switched on by a registration, in both field spellings and in a form', async () => {
    const id = await service.actor('ana', { cron_schedule: '2078-09-6 20 + 3 months' });
    const { result } = await service.ask('ana', 'GET', `/actors/v2/${id}`);
    expect(result).toMatchObject({
      cronSchedule: '2078-09-6 20 + 3 months',
      cronOn: true,
      cronNextEx: '2078-9-6 20',
      cronNextTime: '2078-09-06T20:00:00.000Z',
    });
    const formed = await service.ask('ana', 'POST', '/actors/v2', {
      form: { image: 'alpine', cronSchedule: '@hourly', cronOn: 'false' },
    });
    expect(formed.result).toMatchObject({ cronSchedule: '@hourly', cronOn: false });
    expect(formed.result).not.toHaveProperty('cronNextEx');
  });

  it('survives an update without it, is switched by cronOn, replaced by a new plan and removed by an empty one', async () => {
    const id = await service.actor('ana', { cronSchedule: '@hourly', cronMessage: 'hi' });
    await put('ana', id, {});
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: '@hourly', cronOn: true, next: on, cronMessage: 'hi' });
    await put('ana', id, { cronOn: false });
    await put('ana', id, {});
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: '@hourly', cronOn: false, next: none });
    await put('ana', id, { cronOn: true });
    expect(await fieldsOf(id)).toMatchObject({ cronOn: true, next: on });
    await put('ana', id, { cronSchedule: '0 9 * * 1-5', cronTimeZone: 'Europe/Berlin' });
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: '0 9 * * 1-5', cronTimeZone: 'Europe/Berlin' });
    await put('ana', id, { cronSchedule: '0 9 * * 1-5' });
    expect(await fieldsOf(id)).toMatchObject({ cronTimeZone: 'Europe/Berlin' });
    await put('ana', id, { cronSchedule: '@daily' });
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: '@daily', cronTimeZone: undefined });
    await put('ana', id, { cronSchedule: '' });
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: undefined, cronOn: false, next: none });
  });

  it('continues unchanged when an update repeats it, although its start time has passed', async () => {
    const id = await service.actor('ana', { cronSchedule: 'now + 5 hours' });
    await service.store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor?.cron) tx.put('actors', { ...actor, cron: { ...actor.cron, startAt: 0, nextAt: 18_000_000 } });
    });
    await put('ana', id, { cronSchedule: 'now + 5 hours', description: 'd' });
    expect(service.store.get('actors', id)?.cron).toMatchObject({ startAt: 0, nextAt: 18_000_000 });
  });

  it.each<[Readonly<Record<string, unknown>>, RegExp]>([
    [{ cronSchedule: '2020-01-01 00 + 1 day' }, /^cronSchedule .* starts in the past/],
    [{ cron_schedule: '2020-01-01 00 + 1 day' }, /^cron_schedule .* starts in the past/],
    [{ cronSchedule: '2078-02-31 00 + 1 day' }, /^cronSchedule .* must be a day of the calendar/],
    [{ cronSchedule: '0 0 31 2 *' }, /^cronSchedule .* never occurs/],
    [{ cronSchedule: 'now + 100000 months' }, /^cronSchedule .* never occurs: .* after the year 9999/],
    [{ cronSchedule: 'now + 0 hours' }, /^cronSchedule .* not 0/],
    [{ cronSchedule: '*/0 * * * *' }, /^cronSchedule .* step 0/],
    [{ cronSchedule: 'x'.repeat(1_000) }, /^cronSchedule/],
    [{ cronSchedule: 7 }, /^cronSchedule must be text/],
    [{ cronSchedule: '@daily', cronTimeZone: 'Mars/Base' }, /^cronTimeZone/],
    [{ cronSchedule: 'now + 1 day', cronTimeZone: 'Europe/Berlin' }, /^cronTimeZone/],
    [{ cronOn: true }, /^cronOn/],
    [{ cronSchedule: '@daily', cronOn: 'maybe' }, /^cronOn must be true or false/],
  ])('%j is refused, the refusal names the field, and nothing changes', async (fields, words) => {
    const made = await service.ask('ana', 'POST', '/actors/v2', { json: { image: 'alpine', ...fields } });
    expect(made).toMatchObject({ status: 400, ...failed('VALIDATION', words) });
    const id = await service.actor('ana');
    expect(await put('ana', id, fields)).toMatchObject({ status: 400, ...failed('VALIDATION', words) });
    expect(await fieldsOf(id)).toMatchObject({ cronSchedule: undefined, cronOn: false });
  });
});

describe('cron.show and cron.set', () => {
  it('change the plan only, and list the next times', async () => {
    const id = await service.actor('ana', { description: 'kept', link: '' });
    expect((await show('ana', id)).result).toEqual({ actorId: id, cronSchedule: '', cronOn: false, next: [] });
    const made = await set('ana', id, {
      cronSchedule: '0 0 1 1 *',
      cronTimeZone: 'Asia/Kolkata',
      cronMessage: 'new year',
    });
    expect(made.result).toMatchObject({ cronOn: true, cronNextTime: expect.stringMatching(/-12-31T18:30:00.000Z$/) });
    expect((made.result['next'] as string[]).length).toBe(5);
    expect(((await show('ana', id, '?count=2')).result['next'] as string[]).length).toBe(2);
    const off = await set('ana', id, { cronOn: false });
    expect(off.result).toMatchObject({ cronOn: false, cronMessage: 'new year', cronTimeZone: 'Asia/Kolkata' });
    expect(off.result).not.toHaveProperty('cronNextTime');
    expect(off.result['next']).toEqual(made.result['next']);
    expect((await set('ana', id, { cronSchedule: '' })).result).toMatchObject({ cronSchedule: '', next: [] });
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}`)).result).toMatchObject({ description: 'kept' });
  });

  it('with dryRun show what a change would lead to, refuse what the change refuses, and change nothing', async () => {
    const id = await service.actor('ana', { cronSchedule: '@hourly', cronMessage: 'hi' });
    const before = (await show('ana', id)).result;
    const tried = (json: Readonly<Record<string, unknown>>) =>
      service.ask('ana', 'PUT', `/actors/v2/${id}/cron?dryRun=true`, { json });
    const fields = { cronSchedule: '0 0 1 1 *', cronTimeZone: 'Asia/Kolkata' };
    const { result } = await tried(fields);
    expect(result).toMatchObject({ ...fields, cronMessage: 'hi' });
    expect((result['next'] as string[]).map((time) => time.slice(4))).toEqual(Array(5).fill('-12-31T18:30:00.000Z'));
    expect((await tried({ cronSchedule: '0 0 31 2 *' })).status).toBe(400);
    expect((await tried({ cronSchedule: '' })).result).toMatchObject({ cronSchedule: '', next: [] });
    expect((await show('ana', id)).result).toEqual(before);
    expect(service.store.get('actors', id)?.version ?? 1).toBe(1);
  });

  it('list the next times up to the year 9999', async () => {
    const id = await service.actor('ana', { cronSchedule: '2078-09-06 20 + 80000 months' });
    const first = '2078-09-06T20:00:00.000Z';
    const second = '8745-05-06T20:00:00.000Z';
    expect(await show('ana', id, '?count=100')).toMatchObject({ status: 200, result: { next: [first, second] } });
  });

  it('refuse what actors.update refuses, and a count out of range', async () => {
    const id = await service.actor('ana');
    expect(await set('ana', id, { cronSchedule: '0 0 31 2 *' })).toMatchObject({
      status: 400,
      ...failed('VALIDATION'),
    });
    expect(await set('ana', id, { cronOn: true })).toMatchObject({ status: 400, ...failed('VALIDATION', /cronOn/) });
    for (const count of ['-1', '101', 'x']) expect((await show('ana', id, `?count=${count}`)).status).toBe(400);
  });

  it('need READ and UPDATE, and hide the actor from other users', async () => {
    const id = await service.actor('ana', { cronSchedule: '@hourly' });
    for (const as of ['bob', 'otherAna', 'otherAdmin'] as const) {
      expect((await show(as, id)).status).toBe(404);
      expect((await set(as, id, { cronOn: false })).status).toBe(404);
    }
    await service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user: 'bob', level: 'EXECUTE' } });
    expect((await show('bob', id)).status).toBe(200);
    expect(await set('bob', id, { cronOn: false })).toMatchObject({ status: 403, ...failed('FORBIDDEN', /UPDATE/) });
    expect((await set('admin', id, { cronOn: false })).status).toBe(200);
  });

  it('refuse an actor that is being deleted', async () => {
    const id = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor) tx.put('actors', { ...actor, status: 'SHUTTING_DOWN' });
    });
    expect(await set('ana', id, { cronSchedule: '@daily' })).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
  });
});
