// `executions rerun`: sends the message of an execution again.
import { usage } from '../../failure.ts';
import { command } from '../framework/command.ts';
import { duration, flag, hidden, required, text, type ValuesOf } from '../framework/option.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import { waitFor } from './executions-wait.ts';
import { afterSubmission, warnOfIgnored } from './message-input.ts';
import { DEFAULT_WAIT_MS, exitCodeOf, formatOutcome, limitFrom } from './wait-for-outcome.ts';

/** Flags that are never supported, because image and state belong to the actor. */
const elsewhere = {
  image: hidden(text('--image <image>', 'prints how to run another image')),
  sameState: hidden(flag('--same-state', 'prints how to restore the state first')),
};

/** @throws CliFailure USAGE if one of these flags is given, with the alternative as hint */
const refuseImpossible = (actorId: string, { image, sameState }: ValuesOf<typeof elsewhere>): void => {
  if (image !== undefined) {
    throw usage(
      '--image: an execution always runs the image of its actor',
      `change the actor, then rerun: actorctl actors update ${actorId} --image ${image} --wait`,
    );
  }
  if (sameState) {
    throw usage(
      '--same-state: an execution always starts with the current state of its actor',
      `restore a version of actorctl state history, then rerun: actorctl state restore ${actorId} VERSION`,
    );
  }
};

export const executionsRerun = command({
  name: 'rerun',
  summary: 'Send the message of an execution again',
  details: 'Uses the variables of that execution, and the current image and state of the actor.',
  operations: ['executions.rerun'],
  args: { execution: required('execution', 'execution') },
  options: {
    run: flag('--run', 'wait for its end, exit code 11 if it fails'),
    timeout: duration('--timeout <duration>', 'time limit of --run (default 10m), exit code 8 when it is over'),
    ...elsewhere,
  },
  examples: ['actorctl executions rerun @last:failed --run'],
  run: async (context, { execution: reference }, { run, timeout, ...asked }) => {
    refuseLimitWithout('--run', run, timeout);
    const { call, output } = context;
    const limit = limitFrom(context, timeout ?? DEFAULT_WAIT_MS);
    const { id, actorId } = await resolveExecution(context, reference);
    refuseImpossible(actorId, asked);
    const again = await call('executions.rerun', { params: { actorId, executionId: id } });
    const { executionId, ignored_variables: ignored } = again;
    warnOfIgnored(context, again);
    const value = {
      execution_id: executionId,
      actor_id: actorId,
      rerun_of: id,
      ...(ignored && { ignored_variables: ignored }),
    };
    if (!run) {
      output.result(`${id} -> ${executionId}`, value, executionId);
      output.next(`actorctl logs ${actorId}/${executionId} -f`);
      return 0;
    }
    const params = { actorId, executionId };
    const untilEnded = async () => {
      const begun = await call('executions.show', { params });
      const ended = await waitFor(context, begun, limit);
      return [ended, (await call('executions.logs', { params })).logs] as const;
    };
    const [ended, log] = await untilEnded().catch((error: unknown) => {
      throw afterSubmission(error, params);
    });
    if (!output.machine && !output.quiet) output.errorText(log);
    output.result(
      `${id} -> ${executionId}  ${formatOutcome(ended)}`,
      { ...value, status: ended.status, logs: log },
      executionId,
    );
    return exitCodeOf(ended);
  },
});
