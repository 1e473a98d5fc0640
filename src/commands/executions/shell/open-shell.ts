// Opens a shell in an execution and passes input and output between it and the terminal.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { CommandContext } from '../../../context.ts';
import type { ClientShell, ShellEvent, ShellInput, ShellOpened } from '../../../contract/owner/shells.ts';
import { CliFailure } from '../../../failure.ts';
import { shellWord } from '../../../local/single-quoted.ts';
import type { Terminal } from '../../../ui/terminal.ts';

type ShellContext = Pick<CommandContext, 'manage' | 'output' | 'signal' | 'takeSignals' | 'terminal' | 'user'>;

const say = ({ output }: Pick<CommandContext, 'output'>, { ran, notes }: ShellOpened): void => {
  for (const note of notes)
    output.warn(note.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()).replace(/\.$/, ''));
  output.note('a shell has no access token, and its results and state are not stored');
  output.note(`the actor ran: ${ran.map(shellWord).join(' ')}`);
};

/** The request that carries the input. It ends with the input of a pipe, and with the shell. */
const createInput = (terminal: Terminal) => {
  const bytes = new PassThrough();
  const send = (input: ShellInput): boolean => bytes.writableEnded || bytes.write(`${JSON.stringify(input)}\n`);
  const pump = async (): Promise<void> => {
    try {
      for await (const piece of terminal.input())
        if (!send({ data: Buffer.from(piece).toString('base64') })) await once(bytes, 'drain');
    } finally {
      bytes.end();
    }
  };
  return {
    bytes,
    /** Returns the function that gives the terminal back. */
    begin: (): (() => void) => {
      const giveBack = terminal.takeOver((size) => void send({ size }));
      // A terminal that was closed cannot be read.
      pump().catch(() => undefined);
      return giveBack;
    },
  };
};

/**
 * Runs the shell and returns the exit code of its program.
 * @throws CliFailure FORBIDDEN if the execution does not belong to the local daemon, DAEMON_NOT_RUNNING, VALIDATION,
 * ACTOR_ERROR, IMAGE_PULL_FAILED, RUNTIME_UNAVAILABLE, CANCELLED
 */
export const openShell = async (
  context: ShellContext,
  executionId: string,
  command: readonly string[],
): Promise<number> => {
  const { manage, output } = context;
  const terminal = await context.terminal();
  const size = terminal.isInteractive ? { size: terminal.size() } : {};
  const input = createInput(terminal);
  let giveBack: (() => void) | undefined;
  let folder: ClientShell | undefined;
  let exit: number | undefined;
  const onText = async (text: string): Promise<void> => {
    const event = JSON.parse(text) as ShellEvent;
    if ('stdout' in event) await output.bytes(Buffer.from(event.stdout, 'base64'));
    else if ('stderr' in event) output.errorText(Buffer.from(event.stderr, 'base64').toString('utf8'));
    else if ('exitCode' in event) {
      exit = event.exitCode;
      input.bytes.end();
    } else {
      say(context, event.opened);
      folder = event.opened.folder;
      if (folder === undefined) giveBack = input.begin();
      else input.bytes.end();
    }
  };
  try {
    await manage('shells.open', { executionId, command: [...command], ...size }, { bytes: input.bytes, onText });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'NOT_FOUND') throw error;
    throw new CliFailure('FORBIDDEN', `cannot open a shell in ${executionId}: it does not belong to the local daemon`, {
      hint: 'run it again on the machine of its daemon, as the user who runs the daemon',
      cause: error,
    });
  } finally {
    input.bytes.end();
    giveBack?.();
  }
  if (exit !== undefined) return exit;
  if (folder === undefined)
    throw new CliFailure('DAEMON_NOT_RUNNING', 'the daemon has ended the shell, because it stops', {
      hint: 'actorctl up',
    });
  const { runInCopy } = await import('./folder-shell.ts');
  return runInCopy(context, folder, command);
};
