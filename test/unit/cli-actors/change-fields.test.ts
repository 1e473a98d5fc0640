// A change of one field of an actor while other callers change the actor.
import { expect, it } from 'vitest';
import type { Call } from '../../../src/client/call.ts';
import { changeFields } from '../../../src/commands/actors/actor-change.ts';
import type { Actor } from '../../../src/commands/framework/views.ts';
import { CliFailure } from '../../../src/failure.ts';

/** A service with one actor. Before each of the first updates, another caller changes its description. */
const serviceOf = (others: number) => {
  let actor = { id: 'A', image: 'i', description: '', webhook: '', link: '', version: 1 } as unknown as Actor;
  let left = others;
  const call = async (operation: string, request: { headers: Record<string, string>; body: Partial<Actor> }) => {
    if (operation === 'actors.show') return actor;
    if (left > 0) {
      left -= 1;
      actor = { ...actor, description: `of another ${left}`, version: actor.version + 1 };
    }
    if (request.headers['if-match'] !== `"${actor.version}"`) throw new CliFailure('STALE_VERSION', 'stale');
    actor = { ...actor, description: '', ...request.body, version: actor.version + 1 };
    return actor;
  };
  return { context: { call: call as unknown as Call }, now: () => actor };
};

it.each([0, 1, 4])('an update succeeds after %i concurrent changes, and undoes none of them', async (others) => {
  const { context, now } = serviceOf(others);
  const { before, after } = await changeFields(context, now(), () => ({ webhook: 'http://x/' }));
  const description = others === 0 ? '' : 'of another 0';
  expect(now()).toMatchObject({ webhook: 'http://x/', description });
  expect({ before, after }).toMatchObject({ before: { webhook: '', description }, after: now() });
});

it('an update fails if the actor keeps changing', async () => {
  const { context, now } = serviceOf(99);
  await expect(changeFields(context, now(), () => ({ link: 'B' }))).rejects.toMatchObject({ code: 'STALE_VERSION' });
  expect(now()).toMatchObject({ link: '' });
});

it('an update is not sent if the current actor already matches', async () => {
  const { context, now } = serviceOf(1);
  const change = ({ description }: Actor) => (description === '' ? { webhook: 'http://x/' } : undefined);
  const { after } = await changeFields(context, now(), change);
  expect(after).toMatchObject({ webhook: '', description: 'of another 0' });
  expect(now()).toBe(after);
});
