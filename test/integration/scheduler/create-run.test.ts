// The creation of a run, on parts that the test plays.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { tryToCreate } from '../../../daemon/scheduler/runs/create-run.ts';
import type { Assignment, SchedulerContext } from '../../../daemon/scheduler/scheduler-context.ts';
import { actorRecord } from '../../support/service/records.ts';

it('creating a run fails once if the engine disappears while the message body is read', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const actor = actorRecord('a');
  const context = {
    store: { get: () => actor, by: () => undefined },
    settings: {},
    configs: { receivedBy: () => ({ text: '', secrets: [] }) },
    bodies: { path: (name: string) => name, read: () => sleep(20, Buffer.from('x')) },
  };
  const assignment = {
    slot: { workerId: 'w', image: 'i' },
    message: { executionId: 'e', bodyFile: 'b', text: null, size: 1, contentType: 'text/plain' },
    executor: {
      apiServer: async () => {
        await sleep(2);
        throw new Error('the engine is down');
      },
    },
  };
  const created = await tryToCreate(
    ...([context as unknown as SchedulerContext, assignment as unknown as Assignment, actor] as const),
  );
  expect(created).toMatchObject({ error: { message: 'the engine is down' } });
  expect(unhandled).toEqual([]);
});
