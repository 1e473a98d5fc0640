// `executions shell`: a shell with what an execution had.
import type { CommandContext } from '../../../context.ts';
import { action } from '../../framework/command.ts';
import { maybeAfterDashes, required } from '../../framework/option.ts';
import { resolveExecution } from '../../framework/resolve-execution.ts';
import { openShell } from './open-shell.ts';

export const executionsShell = action({
  operations: ['shells.open'],
  args: {
    execution: required('execution', 'execution'),
    command: maybeAfterDashes('program and arguments (default: bash, else sh)'),
  },
  details:
    'Starts a new container of the same image, with the message, variables and state of the execution and the configs of today. For an actor without a container, starts a shell in a copy of its folder. Everything is removed when the program ends. Nothing is recorded, results and state are not stored, and there is no access token.\nOnly the user who runs the daemon can open a shell, on its machine, and not on a swarm. The exit code is that of the program.',
  examples: [
    'actorctl executions shell @last:failed',
    'actorctl executions shell wordcount@last -- env',
    'actorctl executions shell @last -- python3 -i main.py',
  ],
  run: async (context: CommandContext, { execution: reference, command }) => {
    const { id } = await resolveExecution(context, reference);
    return openShell(context, id, command);
  },
});
