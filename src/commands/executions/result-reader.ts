// Reads results of executions from the service. Reading a result removes it there.
import { authenticationFor, pathOf, refusalOf } from '../../client/call.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import { CliFailure, stoppedAfter } from '../../failure.ts';
import { plural } from '../../ui/text.ts';

export type ResultTaker = Pick<CommandContext, 'request' | 'settings'>;

export interface ResultSource {
  readonly actorId: string;
  readonly executionId: string;
}

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
  if (answer.status !== 200) throw refusalOf(authentication, answer, bytes.toString('utf8'));
  return bytes.length === 0 ? undefined : bytes;
};

export const resultValue = (bytes: Buffer) => ({ bytes: bytes.length, base64: bytes.toString('base64') });

export const noResult = ({ actorId, executionId }: ResultSource): CliFailure =>
  new CliFailure(
    'NO_RESULT',
    `execution ${executionId} has no result: there was none, it was read already, or it has expired`,
    {
      hint: `actorctl logs ${actorId}/${executionId}`,
    },
  );

export interface TakeResults {
  readonly first: boolean;
  /** Receives each result as soon as it is read, because the service no longer has it. */
  readonly keep: (bytes: Buffer) => Promise<void>;
}

/**
 * Reads results in order, which removes them from the service. If a later read fails, the error says how many were
 * read, and contains them in `details.results` for scripts.
 * @throws CliFailure NO_RESULT if there is no result and `first` requires one; the errors of `takeResult` and of `keep`
 */
export const takeResults = async (
  taker: ResultTaker,
  source: ResultSource,
  { first, keep }: TakeResults,
): Promise<readonly Buffer[]> => {
  const taken: Buffer[] = [];
  try {
    do {
      const bytes = await takeResult(taker, source);
      if (bytes === undefined) break;
      taken.push(bytes);
      await keep(bytes);
    } while (!first);
  } catch (error) {
    if (taken.length === 0) throw error;
    throw stoppedAfter(error, `took ${plural(taken.length, 'result')} of execution ${source.executionId}`, {
      results: taken.map(resultValue),
    });
  }
  if (first && taken.length === 0) throw noResult(source);
  return taken;
};
