// Prints the end of the logs of failed executions, after a command that failed.
import type { CommandContext } from '../../context.ts';
import { messageOf } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { formatOutcome, hasFailed } from '../executions/wait-for-outcome.ts';
import { nameRows } from '../framework/actor-names.ts';
import { newestExecutions } from '../framework/search-rows.ts';
import type { TemporaryHome } from './temporary-home.ts';

/** Lines of each log. */
const LINES = 20;
/** Executions whose logs are shown: more would hide the output of the command. */
const SHOWN = 50;

/** The last lines of a text, without the empty line after its last line end. */
const lastLines = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n').slice(-LINES);

/** Prints the last lines of each failed execution. An error is a warning, because the outcome of the command matters. */
export const tellFailed = async (
  { output }: Pick<CommandContext, 'output'>,
  { context }: Pick<TemporaryHome, 'context'>,
): Promise<void> => {
  try {
    const rows = await newestExecutions(context, {}, Number.MAX_SAFE_INTEGER);
    const failed = (await nameRows(context, rows.filter(hasFailed))).slice().reverse();
    for (const row of failed.slice(0, SHOWN)) {
      const { actorId, id: executionId } = row;
      const { logs } = await context.call('executions.logs', { params: { actorId, executionId } });
      const shown = logs === '' ? [] : lastLines(logs);
      output.errorText(`${row.actorName ?? actorId} ${executionId}  ${formatOutcome(row)}\n`);
      output.errorText(shown.map((line) => `  | ${line}\n`).join(''));
    }
    if (failed.length > SHOWN) output.errorText(`and ${plural(failed.length - SHOWN, 'more failed execution')}\n`);
  } catch (error) {
    output.warn(`cannot read the logs of failed executions: ${messageOf(error)}`);
  }
};
