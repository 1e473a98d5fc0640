// Reads results of executions from the service. Reading a result removes it there.
import { authenticationFor, pathOf, refusalOf } from '../../client/call.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import { CliFailure } from '../../failure.ts';

/** The parts of the context that reading results needs. */
export type ResultTaker = Pick<CommandContext, 'request' | 'settings'>;

/** The ids of an execution and its actor. */
export interface ResultSource {
  readonly actorId: string;
  readonly executionId: string;
}

/**
 * Removes and returns the oldest result; undefined if there is none. @throws CliFailure NOT_FOUND, the errors of the
 * service
 */
const takeResult = async (
  { request, settings }: ResultTaker,
  { actorId, executionId }: ResultSource,
): Promise<Buffer | undefined> => {
  const operation = routes['results.take'];
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

/** Yields all results in order, and removes each from the service. @throws CliFailure as `takeResult` */
export async function* takeResults(taker: ResultTaker, source: ResultSource): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const bytes = await takeResult(taker, source);
    if (bytes === undefined) return;
    yield bytes;
  }
}

/** A result as scripts receive it. */
export const resultValue = (bytes: Buffer) => ({ bytes: bytes.length, base64: bytes.toString('base64') });

/** The error for an execution without results. */
export const noResult = ({ actorId, executionId }: ResultSource): CliFailure =>
  new CliFailure(
    'NO_RESULT',
    `execution ${executionId} has no result: there was none, it was read already, or it has expired`,
    {
      hint: `actorctl logs ${actorId}/${executionId}`,
    },
  );

/** Yields the oldest result, and removes it from the service. @throws CliFailure NO_RESULT; and as `takeResult` */
export async function* takeFirst(taker: ResultTaker, source: ResultSource): AsyncGenerator<Buffer, void, void> {
  const bytes = await takeResult(taker, source);
  if (bytes === undefined) throw noResult(source);
  yield bytes;
}
