// Cursors of the list of events: EPOCH.NUMBER. A cursor of another epoch is answered with `reset`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/contract/actors/events.ts';
import { emitMany } from '../../support/crash/event-tail.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let actorId: string;
let all: readonly string[];
beforeAll(async () => {
  service = await startActorService();
  actorId = await service.actor('ana');
  all = await emitMany(service, actorId, 3);
});
afterAll(() => service.close());

const list = (query: string) => service.ask('ana', 'GET', `/actors/v2/events?actorId=${actorId}&${query}`);

describe.each([
  ['after', 'asc'],
  ['before', 'desc'],
])('the parameter %s', (edge, order) => {
  const read = async (cursor: string) => {
    const { result } = await list(`order=${order}&${edge}=${cursor}`);
    return { ...result, ids: (result['events'] as EventView[]).map(({ id }) => id) };
  };

  it.each(['0', '2', '999999999999'])(
    'with the number %s of another epoch starts anew and reports a reset',
    async (number) => {
      expect(await read(`Elsewhere1.${number}`)).toMatchObject({
        ids: order === 'asc' ? all : all.toReversed(),
        reset: true,
        next: expect.stringMatching(/^0\.\d+$/),
      });
    },
  );

  it.each(['', '0.'])('with the prefix "%s" continues in the present epoch', async (prefix) => {
    const page = await read(`${prefix}${all[1]}`);
    expect(page.ids).toEqual([order === 'asc' ? all[2] : all[0]]);
    expect(page).not.toHaveProperty('reset');
  });

  it.each(['a.b.1', '.1', '1.', 'a', '-1'])('refuses %s', async (cursor) => {
    const words = new RegExp(`^${edge} must be a cursor, the id of an event, or 0`);
    expect(await list(`${edge}=${cursor}`)).toMatchObject(failed('VALIDATION', words));
  });
});

it('a number beyond the latest event of the present epoch is refused', async () => {
  expect(await list('after=0.999999999999')).toMatchObject(failed('VALIDATION', /is beyond the latest event/));
});
