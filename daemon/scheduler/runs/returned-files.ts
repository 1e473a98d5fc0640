// Reads the files in which an ended run may have returned a result and its next state.
import { RESULT_LIMIT } from '../../../src/contract/actors/results.ts';
import { complaintsOf, type Refused, stateFrom } from '../../domain/executions/returned-files.ts';
import { Failure } from '../../domain/failure.ts';
import type { StagedResult } from '../../ports/results.ts';
import type { Output } from '../../ports/runs/outputs.ts';
import { pause } from '../background-tasks.ts';
import { backoff, type Run, type SchedulerContext } from '../scheduler-context.ts';

/** Retries for as long as the disk refuses writes. */
const stage = async (
  context: SchedulerContext,
  executionId: string,
  output: Output,
): Promise<StagedResult | Refused> => {
  if ('fault' in output) return output;
  const wait = backoff(context);
  for (;;) {
    try {
      return await context.results.stage(executionId, output.bytes);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code !== 'STORE_UNAVAILABLE') return { fault: error.message.replace(/\.$/, '') };
      context.logger.warn({ error, executionId }, 'the store refuses a result');
      await pause(wait(), context.signal);
    }
  }
};

/**
 * Puts into `run.returned` what the run returned. Returns why a part of it does not count, as sentences.
 * @throws ExecutorError, or a system error that another attempt may not have
 */
export const readReturned = async (context: SchedulerContext, run: Run): Promise<readonly string[]> => {
  const limits = { resultBytes: RESULT_LIMIT, stateBytes: context.settings.stateBytes };
  const found = (await run.executor.outputs?.(run.ref, limits)) ?? {};
  const result = found.result && (await stage(context, run.executionId, found.result));
  const state = found.state && ('fault' in found.state ? found.state : stateFrom(found.state.bytes));
  run.returned = {
    ...(result && 'add' in result && { result }),
    ...(state && 'text' in state && { state: state.text }),
  };
  return complaintsOf({
    result: result && 'fault' in result ? result : undefined,
    state: state && 'fault' in state ? state : undefined,
  });
};
