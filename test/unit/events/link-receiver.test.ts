// Where the link of an actor leads, from a list with details or without.
import { expect, it } from 'vitest';
import { receiverOf } from '../../../src/commands/events/links.ts';
import type { CommandContext } from '../../../src/context.ts';

const ID = 'Aaaaaaaaaaaaa';
const OTHER = 'Bbbbbbbbbbbbb';

/** A service that counts the requests for one link. */
const service = () => {
  const asked: unknown[] = [];
  const call = (async (operation: string, input: unknown) => {
    asked.push([operation, input]);
    return { actorId: ID, link: 'report', in: [], out: OTHER };
  }) as unknown as CommandContext['call'];
  return { asked, call };
};

it.each([
  ['in the details of a list', { linkedActor: OTHER }, { out: OTHER }],
  ['as a problem in the details', { linkProblem: 'it leads back' }, { out: null, problem: 'it leads back' }],
])('the receiver of a link that is %s is not requested', async (_what, details, expected) => {
  const { asked, call } = service();
  expect(await receiverOf({ call }, { id: ID, link: 'report', ...details })).toEqual(expected);
  expect(asked).toEqual([]);
});

it('the receiver of a link is requested if a service lists no details', async () => {
  const { asked, call } = service();
  expect(await receiverOf({ call }, { id: ID, link: 'report' })).toMatchObject({ out: OTHER });
  expect(asked).toEqual([['links.show', { params: { actorId: ID } }]]);
});

it('an actor without a link has no receiver', async () => {
  const { asked, call } = service();
  expect(await receiverOf({ call }, { id: ID, link: '' })).toEqual({ out: null });
  expect(asked).toEqual([]);
});
