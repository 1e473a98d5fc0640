// `executions halt`: halts running executions and waits for their ends.
import type { CommandContext } from '../../context.ts';
import { LONGEST_GRACE } from '../../contract/for-client.ts';
import { CliFailure, inOrder, usage } from '../../failure.ts';
import { formatDuration, parseDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { choice, parsed, several } from '../framework/option.ts';
import { resolveExecutions } from '../framework/resolve-execution.ts';
import type { Execution } from '../framework/views.ts';
import { waitFor } from './executions-wait.ts';
import { formatOutcome, isFinal, limitFrom } from './wait-for-outcome.ts';

/** Longest wait for a halted execution, in milliseconds: ten seconds until SIGKILL plus time to clean up. */
const HALT_WAIT_MS = 30_000;

/** Those that run. Warns about the others. @throws CliFailure NOT_RUNNING if none runs */
const runningOf = ({ output }: CommandContext, found: readonly Execution[]): readonly Execution[] => {
  const words = (ended: Execution): string => `cannot halt ${ended.id}: it has ended with ${formatOutcome(ended)}`;
  const ended = found.filter(isFinal);
  const [first] = ended;
  if (first !== undefined && ended.length === found.length) {
    throw new CliFailure('NOT_RUNNING', found.length === 1 ? words(first) : 'all these executions have ended', {
      hint: found.length === 1 ? `actorctl executions show ${first.actorId}/${first.id}` : 'actorctl executions list',
    });
  }
  for (const each of ended) output.warn(words(each));
  return found.filter((each) => !isFinal(each));
};

export const executionsHalt = command({
  name: 'halt',
  summary: 'Halt running executions',
  details: 'Sends SIGTERM, then SIGKILL after ten seconds or the time of --grace. A second halt can kill it sooner.',
  operations: ['executions.halt'],
  args: { executions: several('executions', 'running execution') },
  options: {
    grace: parsed('--grace <duration>', 'time from SIGTERM to SIGKILL (default 10s)', (value, name) => {
      const ms = parseDuration(value, `a duration for ${name}`);
      if (ms % 1_000 === 0 && ms <= LONGEST_GRACE * 1_000) return ms;
      throw usage(`${name} must be whole seconds, at most ${LONGEST_GRACE}s`);
    }),
    signal: choice('--signal <name>', 'TERM lets it clean up; KILL ends it immediately, same as --grace 0s', [
      'TERM',
      'KILL',
    ] as const),
    dryRun,
  },
  examples: ['actorctl executions halt @last --yes', 'actorctl executions halt @last --yes --grace 1m'],
  run: async (context, { executions: references }, { grace, signal, dryRun }) => {
    const { call, output, prompt, now } = context;
    if (signal === 'KILL' && grace !== undefined && grace > 0)
      throw usage('--signal KILL and --grace cannot be used together');
    const graceMs = signal === 'KILL' ? 0 : grace;
    const running = runningOf(context, await resolveExecutions(context, references));
    if (dryRun) {
      const ids = running.map(({ id }) => id);
      const lines = ids.map((id) => `halt execution ${id}`);
      return tellDryRun(context, lines, { halted: ids }, ids.join('\n'));
    }
    const [only] = running;
    await prompt.confirm(
      running.length === 1 && only !== undefined
        ? `Halt execution ${only.id} of actor ${only.actorId}?`
        : `Halt ${plural(running.length, 'execution')}: ${running.map(({ id }) => id).join(', ')}?`,
    );
    if (graceMs !== undefined && running.some(({ node }) => node !== undefined))
      output.warn('on a swarm SIGKILL follows after 10 seconds, whatever --grace or --signal says');
    const begun = now();
    const halt = async (execution: Execution): Promise<Execution> => {
      try {
        await call('executions.halt', {
          params: { actorId: execution.actorId, executionId: execution.id },
          query: { ...(graceMs !== undefined && { grace: graceMs / 1_000 }) },
        });
      } catch (error) {
        // It may end by itself in the meantime. Then the others are halted all the same.
        if (references.length === 1 || !(error instanceof CliFailure) || error.code !== 'NOT_RUNNING') throw error;
      }
      return execution;
    };
    const halted = await inOrder(running, halt, (done) => {
      const ids = done.map(({ id }) => id);
      return [`halted ${ids.join(', ')}`, { halted: ids }];
    });
    const limit = limitFrom(context, HALT_WAIT_MS + (graceMs ?? 0));
    const ended = await Promise.all(halted.map((execution) => waitFor(context, execution, limit)));
    const values = ended.map(({ id, actorId, status, reason }) => ({
      execution_id: id,
      actor_id: actorId,
      status,
      ...(reason && { reason }),
    }));
    output.result(
      ended.map(({ id }) => `Halted ${id} after ${formatDuration(now() - begun)}`).join('\n'),
      references.length === 1 ? values[0] : values,
      ended.map(({ id }) => id).join('\n'),
    );
    return 0;
  },
});
