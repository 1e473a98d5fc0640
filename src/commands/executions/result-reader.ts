// Takes the results of executions from the service: what is taken is gone there.
import { authenticationFor, pathOf, refusalOf } from '../../client/call.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';

/** What taking results needs of the context. */
export type ResultTaker = Pick<CommandContext, 'request' | 'settings'>;

/** An execution, by its actor. */
export interface ResultSource {
  readonly actorId: string;
  readonly executionId: string;
}

/** Removes the oldest result and answers it; undefined when none waits. @throws CliFailure NOT_FOUND, the refusals of the service */
export const takeResult = async (
  { request, settings }: ResultTaker,
  { actorId, executionId }: ResultSource,
): Promise<Buffer | undefined> => {
  const operation: Operation = operations['results.take'];
  const authentication = authenticationFor(operation, settings.nonce);
  const answer = await request({
    method: operation.method,
    path: pathOf(operation, { actorId, executionId }),
    authentication,
  });
  const bytes = await readBody(answer);
  if (answer.status !== 200) throw refusalOf(authentication, answer.status, answer.headers, bytes.toString('utf8'));
  return bytes.length === 0 ? undefined : bytes;
};

/** The results that wait, in their order, each gone from the service when it comes. @throws CliFailure as `takeResult` */
export async function* takeResults(taker: ResultTaker, source: ResultSource): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const bytes = await takeResult(taker, source);
    if (bytes === undefined) return;
    yield bytes;
  }
}

/** A result as scripts read it. */
export const resultValue = (bytes: Buffer) => ({ bytes: bytes.length, base64: bytes.toString('base64') });

/** That an execution has handed nothing out. */
export const noResult = ({ actorId, executionId }: ResultSource): CliFailure =>
  new CliFailure('NO_RESULT', `no result of ${executionId} waits: there was none, or it was taken, or it is too old`, {
    hint: `actorctl logs ${actorId}/${executionId}`,
  });
