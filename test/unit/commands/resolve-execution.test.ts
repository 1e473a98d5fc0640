// The requests with which the command line finds what a person typed.
import { describe, expect, it } from 'vitest';
import { resolveExecution, resolveLogTarget } from '../../../src/commands/framework/resolve-execution.ts';
import { CliFailure } from '../../../src/failure.ts';

const EXECUTION = 'Eabcdefghijkl';
const ACTOR = 'Aabcdefghijkl';

type Context = Parameters<typeof resolveLogTarget>[0];

/** A service with one actor and one execution, which records its requests. */
const service = (settings: object = {}) => {
  const asked: string[] = [];
  const call = async (operation: string, { params }: { params?: Record<string, string> } = {}) => {
    asked.push(operation);
    if (operation === 'executions.find' && params?.['executionId'] === EXECUTION) {
      return { id: EXECUTION, actorId: ACTOR };
    }
    if (operation === 'actors.show' && params?.['actorId'] === ACTOR) return { id: ACTOR, name: 'one' };
    if (operation === 'actors.list') return [{ id: ACTOR, name: 'one' }];
    throw new CliFailure('NOT_FOUND', operation);
  };
  const context = { call, settings, prompt: { allowed: false } } as unknown as Context;
  return { asked, context };
};

describe('the whole id of an execution', () => {
  it.each([EXECUTION, `id:${EXECUTION}`])('%s is found in one request', async (reference) => {
    const { asked, context } = service();
    expect(await resolveExecution(context, reference)).toEqual({ id: EXECUTION, actorId: ACTOR });
    expect(asked).toEqual(['executions.find']);
  });

  it('is found in one request where an actor could be named as well', async () => {
    const { asked, context } = service();
    expect(await resolveLogTarget(context, EXECUTION)).toMatchObject({ kind: 'execution' });
    expect(asked).toEqual(['executions.find']);
  });

  it('that is unknown fails after one request', async () => {
    const { asked, context } = service();
    await expect(resolveExecution(context, 'Xabcdefghijkl')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(asked).toEqual(['executions.find']);
  });
});

it('the id of an actor is found as a log target, too', async () => {
  const { asked, context } = service();
  expect(await resolveLogTarget(context, ACTOR)).toMatchObject({ kind: 'actor', actor: { id: ACTOR } });
  expect(asked).toEqual(['executions.find', 'actors.show']);
});

it('the id of an actor is looked up only with requests that accept a nonce', async () => {
  const { asked, context } = service({ nonce: { value: 'N', byFlag: true } });
  expect(await resolveLogTarget(context, ACTOR)).toMatchObject({ kind: 'actor' });
  expect(asked).toEqual(['actors.show']);
});

it('a name that is neither actor nor execution is refused as a log target', async () => {
  const { context } = service();
  await expect(resolveLogTarget(context, 'Xabcdefghijkl')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'there is no actor or execution "Xabcdefghijkl"',
  });
});
