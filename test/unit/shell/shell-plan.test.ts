// What a shell receives of an execution, and what it says where that is no longer known.
import { describe, expect, it } from 'vitest';
import { planShell } from '../../../daemon/domain/executions/shell-plan.ts';
import type { ActorRecord, ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { StateRecord } from '../../../daemon/domain/records/resource-records.ts';
import { actorRecord } from '../../support/service/records.ts';

const KEPT = { contentType: 'str', variables: { COLOUR: 'red' }, text: 'hello' } as const;
const WHOLE: Partial<ExecutionRecord> = { message: KEPT, actorRevision: 3, stateVersion: 2, imageId: 'sha256:1' };

const states: readonly StateRecord[] = [2, 5].map((version) => ({
  ...{ actorId: 'a', tenant: 'dev', by: 'ana', executionId: 'e', at: 1, bytes: 7 },
  version,
  text: `{"n":${version}}`,
}));

const plan = (execution: Partial<ExecutionRecord>, actor: Partial<ActorRecord> = {}) =>
  planShell(
    {
      ...{ id: 'e', actorId: 'a', tenant: 'dev', sequence: 1, executor: 'ana', status: 'COMPLETE', receivedAt: 1 },
      startedAt: 2,
      ...execution,
    },
    { ...actorRecord('a'), stateless: false, image: 'hello:1', updatedAt: 1, ...actor },
    states,
  );

describe('a shell', () => {
  it('has all that the execution recorded, and says nothing', () => {
    expect(plan(WHOLE)).toEqual({
      message: {
        executionId: 'e',
        contentType: 'str',
        variables: { COLOUR: 'red' },
        executor: 'ana',
        actorRevision: 3,
        bodyFile: null,
      },
      text: 'hello',
      state: '{"n":2}',
      imageId: 'sha256:1',
      notes: [],
    });
  });

  it('has the schedule that sent the message', () => {
    const { message } = plan({ ...WHOLE, cause: { scheduledAt: 7 }, missed: 2 });
    expect(message.cron).toEqual({ scheduledAt: 7, missed: 2 });
  });

  it('has an empty state if there was none', () => {
    expect(plan({ ...WHOLE, stateVersion: 0 })).toMatchObject({ state: '{}', notes: [] });
  });

  const { message: _message, ...unsent } = WHOLE;
  it.each([
    ['bytes of a text', { ...KEPT, text: 'é', size: 3 }, ['The message had 3 bytes. The shell has its first 2 bytes.']],
    [
      'bytes of binary data',
      { ...KEPT, contentType: 'application/octet-stream', text: 'aGk=', size: 9 } as const,
      ['The message had 9 bytes. The shell has its first 2 bytes.'],
    ],
    ['nothing of a whole excerpt', { ...KEPT, size: 5 }, []],
  ])('says that it has the first %s', (_name, excerpt, notes) => {
    expect(plan({ ...unsent, excerpt })).toMatchObject({ text: excerpt.text, notes });
  });

  it('says what a record of an earlier version lacks, and has what there is now', () => {
    expect(plan({})).toMatchObject({
      text: '',
      state: '{"n":5}',
      imageId: undefined,
      message: { actorRevision: 1 },
      notes: [
        'The message of this execution was not stored, so MSG is empty.',
        'The version of its state was not stored. The shell has the current version, 5.',
        'Which image ran was not stored. The shell has hello:1 as it is now.',
      ],
    });
    expect(plan({}, { stateless: true, image: 'file:///x' }).notes).toHaveLength(1);
  });

  it('says that a version of the state is no longer stored', () => {
    expect(plan({ ...WHOLE, stateVersion: 1 })).toMatchObject({
      state: '{"n":5}',
      notes: ['Version 1 of its state is no longer stored. The shell has the current version, 5.'],
    });
  });

  it('says that the actor was changed since', () => {
    expect(plan(WHOLE, { updatedAt: 3 }).notes).toEqual([
      'The actor was changed since. The shell has its current variables and limits.',
    ]);
  });
});
