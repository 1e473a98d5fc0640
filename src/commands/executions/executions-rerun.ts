// `executions rerun`: sends the messages of executions again.
import { inOrder, usage } from '../../failure.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { duration, flag, hidden, several, text, type ValuesOf } from '../framework/option.ts';
import { resolveExecutions } from '../framework/resolve-execution.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import type { Execution } from '../framework/views.ts';
import { waitFor } from './executions-wait.ts';
import { afterSubmission, messageOptions, readEditedMessage, warnOfIgnored } from './message-input.ts';
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

interface Rerun {
  readonly execution_id: string;
  readonly actor_id: string;
  readonly rerun_of: string;
  readonly ignored_variables?: readonly string[];
}

export const executionsRerun = command({
  name: 'rerun',
  summary: 'Send the messages of executions again',
  details:
    'Uses the variables of the execution, and the current image and state of the actor. With -m, --file or --data the actor gets this message instead, with the same variables.',
  operations: ['executions.rerun'],
  args: { executions: several('executions', 'execution') },
  options: {
    message: messageOptions.message,
    file: messageOptions.file,
    data: messageOptions.data,
    type: messageOptions.type,
    run: flag('--run', 'wait for the end, exit code 11 if one fails'),
    timeout: duration('--timeout <duration>', 'time limit of --run (default 10m), exit code 8 when it is over'),
    dryRun,
    ...elsewhere,
  },
  examples: ['actorctl executions rerun @last:failed --run', `actorctl executions rerun @last -m '{"verbose": true}'`],
  run: async (context, { executions: references }, { run, timeout, message, file, data, type, dryRun, ...asked }) => {
    refuseLimitWithout('--run', run, timeout);
    const { call, output } = context;
    const limit = limitFrom(context, timeout ?? DEFAULT_WAIT_MS);
    const edited = await readEditedMessage(context, { message, file, data, type });
    const found = await resolveExecutions(context, references);
    refuseImpossible(found[0]?.actorId ?? '', asked);
    if (dryRun) {
      const ids = found.map(({ id }) => id);
      const what = edited === undefined ? 'the message of' : 'the new message in place of that of';
      const lines = found.map(({ id, actorId }) => `send ${what} ${id} to actor ${actorId}`);
      return tellDryRun(context, lines, { rerun_of: ids }, ids.join('\n'));
    }
    const rerun = async ({ id, actorId }: Execution): Promise<Rerun> => {
      const params = { actorId, executionId: id };
      const again = await call('executions.rerun', { params, body: { ...(edited && { message: edited }) } });
      warnOfIgnored(context, again);
      const { executionId, ignored_variables: ignored } = again;
      return {
        execution_id: executionId,
        actor_id: actorId,
        rerun_of: id,
        ...(ignored && { ignored_variables: ignored }),
      };
    };
    const sent = await inOrder(found, rerun, (done) => [
      `sent again ${done.map(({ rerun_of: id }) => id).join(', ')}`,
      { reruns: done },
    ]);
    const print = (lines: readonly string[], values: readonly unknown[]): void => {
      const ids = sent.map(({ execution_id: id }) => id).join('\n');
      output.result(lines.join('\n'), references.length === 1 ? values[0] : values, ids);
    };
    const lineOf = ({ rerun_of: id, execution_id: executionId }: Rerun): string => `${id} -> ${executionId}`;
    if (!run) {
      print(sent.map(lineOf), sent);
      const [first] = sent;
      if (first !== undefined && sent.length === 1)
        output.next(`actorctl logs ${first.actor_id}/${first.execution_id} -f`);
      return 0;
    }
    const untilEnded = async (value: Rerun) => {
      const params = { actorId: value.actor_id, executionId: value.execution_id };
      try {
        const ended = await waitFor(context, await call('executions.show', { params }), limit);
        return { value, ended, log: (await call('executions.logs', { params })).logs };
      } catch (error) {
        throw afterSubmission(error, params);
      }
    };
    const runs = await Promise.all(sent.map(untilEnded));
    if (!output.machine && !output.quiet) for (const { log } of runs) output.errorText(log);
    print(
      runs.map(({ value, ended }) => `${lineOf(value)}  ${formatOutcome(ended)}`),
      runs.map(({ value, ended, log }) => ({ ...value, status: ended.status, logs: log })),
    );
    return runs.map(({ ended }) => exitCodeOf(ended)).find((code) => code !== 0) ?? 0;
  },
});
