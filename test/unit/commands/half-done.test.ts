// Commands that make several changes in order: an error lists the completed ones.
import { describe, expect, it } from 'vitest';
import { configsCommand } from '../../../src/commands/configs/configs.ts';
import { webhooksCommand } from '../../../src/commands/events/webhooks.ts';
import type { LeafEntry } from '../../../src/commands/framework/command.ts';
import { CliFailure, inOrder } from '../../../src/failure.ts';

type Answer = (id: string, params: Readonly<Record<string, string>>) => unknown;

/** Runs a command with these arguments against a service, and returns its requests and its outcome. */
const ran = async (
  entries: readonly LeafEntry[],
  name: string,
  args: Readonly<Record<string, readonly string[]>>,
  answer: Answer,
) => {
  const asked: string[] = [];
  const call = async (id: string, { params = {} }: { params?: Readonly<Record<string, string>> } = {}) => {
    asked.push([id, ...Object.values(params)].join(' '));
    return answer(id, params);
  };
  const context = { call, output: { result: () => '' }, prompt: { confirm: async () => undefined } };
  const action = await entries.find((entry) => entry.name === name)?.load();
  const outcome = await action
    ?.bind(
      args,
      {},
    )(context as never)
    .catch((error: unknown) => error);
  return { asked, outcome };
};

describe('webhooks redeliver', () => {
  const service =
    (known: readonly string[], gone?: string): Answer =>
    (id, { deliveryId = '' }) => {
      if (id === 'deliveries.list') return { deliveries: known.map((each) => ({ id: each })), next: '9' };
      if (deliveryId === gone) throw new CliFailure('NO_RECEIVER', 'the event is no longer kept');
      return { id: `again-${deliveryId}`, redeliveryOf: deliveryId, status: 'DELIVERED' };
    };
  it('lets the service check the delivery ids, because an admin may use more than the list shows', async () => {
    const { asked, outcome } = await ran(webhooksCommand, 'redeliver', { deliveries: ['A', 'B'] }, service([]));
    expect({ asked, outcome }).toEqual({ asked: ['deliveries.redeliver A', 'deliveries.redeliver B'], outcome: 0 });
  });
  it('lists the redelivered ones if a later one fails', async () => {
    const ids = ['A', 'B', 'C'];
    const { outcome } = await ran(webhooksCommand, 'redeliver', { deliveries: ids }, service(ids, 'C'));
    expect(outcome).toMatchObject({
      code: 'NO_RECEIVER',
      message: 'redelivered A, B, then: the event is no longer kept',
      extras: { details: { redelivered: [{ redeliveryOf: 'A' }, { redeliveryOf: 'B' }] } },
    });
  });
});

it('configs delete says which configs were deleted before one fails', async () => {
  const { outcome } = await ran(configsCommand, 'delete', { names: ['a', 'b', 'c'] }, (id, { configName = '' }) => {
    if (id === 'configs.delete' && configName === 'c') throw new CliFailure('FORBIDDEN', 'not yours');
    return { name: configName, actors: '' };
  });
  expect(outcome).toMatchObject({
    code: 'FORBIDDEN',
    message: 'deleted 2 configs: a, b, then: not yours',
    extras: { details: { deleted: ['a', 'b'] } },
  });
});

describe('changes made in order', () => {
  const fail = new CliFailure('NETWORK', 'gone');
  const until = (end: number) => async (item: number) => {
    if (item === end) throw fail;
    return item;
  };
  it('return their results', async () => {
    expect(await inOrder([1, 2], until(3), () => ['', {}])).toEqual([1, 2]);
  });
  it('keep the error if the first one fails', async () => {
    await expect(inOrder([1, 2], until(1), () => ['', {}])).rejects.toBe(fail);
  });
});
