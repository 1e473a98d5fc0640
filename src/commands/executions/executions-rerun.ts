// `executions rerun`: sends the message of an execution once more.
import { usage } from '../../failure.ts';
import { command } from '../kernel/command.ts';
import { flag, required, text, type ValuesOf } from '../kernel/option.ts';
import { resolveExecution } from '../kernel/resolve-actor.ts';
import { waitFor } from './executions-wait.ts';
import { DEFAULT_WAIT_MS, exitCodeOf, wordOutcome } from './wait-for-outcome.ts';

/** What an execution cannot be given, because both belong to its actor. */
const elsewhere = {
  image: text('--image <image>', 'the image belongs to the actor; this says how to try another one'),
  sameState: flag('--same-state', 'the state belongs to the actor; this says how to set it back first'),
};

/** @throws CliFailure USAGE */
const refuseImpossible = (actorId: string, { image, sameState }: ValuesOf<typeof elsewhere>): void => {
  if (image !== undefined) {
    throw usage(
      '--image: an execution runs the image of its actor, for whoever else sends it messages as well',
      `actorctl actors update ${actorId} --image ${image} --wait, then rerun; or send the message to another actor`,
    );
  }
  if (sameState) {
    throw usage(
      '--same-state: an execution begins with the state that its actor has at that time',
      `actorctl state history ${actorId}, actorctl state restore ${actorId} VERSION, then rerun`,
    );
  }
};

/** `executions rerun` */
export const executionsRerun = command({
  name: 'rerun',
  summary: 'Sends the message of an execution once more, with its variables, to the actor as it is now.',
  operations: ['executions.rerun'],
  args: { execution: required('execution') },
  options: {
    run: flag('--run', 'wait for its end; exit code 11 when it fails'),
    ...elsewhere,
  },
  examples: ['actorctl executions rerun @last:failed --run'],
  run: async (context, { execution: reference }, { run, ...asked }) => {
    const { call, output } = context;
    const { id, actorId } = await resolveExecution(context, reference);
    refuseImpossible(actorId, asked);
    const { executionId } = await call('executions.rerun', { params: { actorId, executionId: id } });
    const value = { execution_id: executionId, actor_id: actorId, rerun_of: id };
    if (!run) {
      output.result(`${id} -> ${executionId}`, value, executionId);
      output.next(`actorctl logs ${actorId}/${executionId} -f`);
      return 0;
    }
    const begun = await call('executions.show', { params: { actorId, executionId } });
    const ended = await waitFor(context, begun, DEFAULT_WAIT_MS);
    const { logs: log } = await call('executions.logs', { params: { actorId, executionId } });
    if (!output.machine && !output.quiet) output.errorText(log);
    output.result(
      `${id} -> ${executionId}  ${wordOutcome(ended)}`,
      { ...value, status: ended.status, logs: log },
      executionId,
    );
    return exitCodeOf(ended);
  },
});
