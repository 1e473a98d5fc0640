// Runs a shell in a private copy of the folder of an actor, as a process of this user.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../../../context.ts';
import { BASH_OR_SH } from '../../../contract/bash-or-sh.ts';
import type { ClientShell } from '../../../contract/owner/shells.ts';
import { CliFailure, messageOf } from '../../../failure.ts';
import { temporaryFolder } from '../../../local/files.ts';

/**
 * Removes the folder `$1` when this process ends, however it ends, and before that hangs up the program whose process id
 * is the first line, unless the second says that it is over.
 */
const GUARD = `read -r pid; read -r state
if [ -n "$pid" ] && [ "$state" != over ]; then kill -HUP "$pid"; sleep 1; kill -KILL "$pid"; fi 2>/dev/null
chmod -R u+rwX -- "$1" 2>/dev/null; rm -rf -- "$1"`;

const startGuard = (folder: string) => {
  // In a session of its own, so that a terminal that is closed does not end it.
  const guard = spawn('sh', ['-c', GUARD, 'sh', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(guard, 'close');
  guard.stdin.on('error', () => undefined);
  return {
    watch: (pid: number | undefined): void => void guard.stdin.write(`${pid ?? ''}\n`),
    /** Removes the folder. @param over true if the program has ended */
    end: async (over: boolean): Promise<void> => {
      guard.stdin.end(over ? 'over\n' : '\n');
      await ended;
    },
  };
};

/** Sockets and pipes of a folder cannot be copied. */
const isCopied = async (file: string): Promise<boolean> => {
  const found = await lstat(file);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
};

/** Writes the files of the execution and returns the variables with their paths. */
const writeFiles = async (own: string, { files, state }: ClientShell): Promise<Readonly<Record<string, string>>> => {
  const shelf = path.join(own, 'files');
  const variables: Record<string, string> = { _svc_result_file: path.join(own, 'result') };
  await mkdir(shelf);
  for (const { name, variable, data } of files) {
    variables[variable] = path.join(shelf, path.basename(name));
    await writeFile(variables[variable], Buffer.from(data, 'base64'), { mode: 0o400 });
  }
  await writeFile(path.join(own, 'result'), '', { mode: 0o600 });
  if (state === undefined) return variables;
  await writeFile(path.join(own, 'state'), state, { mode: 0o600 });
  return { ...variables, _svc_state_file: path.join(own, 'state') };
};

const outcomeOf = (child: ChildProcess, program: string): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new CliFailure('COMMAND_NOT_STARTED', `cannot start "${program}": ${messageOf(cause)}`, { cause })),
    );
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });

/** Runs the program and returns its exit code. @throws CliFailure COMMAND_NOT_STARTED, USAGE */
export const runInCopy = async (
  { takeSignals, user }: Pick<CommandContext, 'takeSignals' | 'user'>,
  shell: ClientShell,
  command: readonly string[],
): Promise<number> => {
  const own = await temporaryFolder('actorctl-shell-');
  const guard = startGuard(own);
  let over = false;
  try {
    const copy = path.join(own, 'copy', path.basename(shell.folder));
    const home = path.join(own, '.home');
    await mkdir(home);
    const { TERM } = user.env;
    await cp(shell.folder, copy, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    const env = {
      PWD: copy,
      ...(TERM !== undefined && { TERM }),
      ...shell.environment,
      ...(await writeFiles(own, shell)),
      HOME: home,
      TMPDIR: home,
    };
    const [program = '', ...args] = command.length === 0 ? BASH_OR_SH : command;
    const child = spawn(program, args, { cwd: copy, env, stdio: 'inherit' });
    // The terminal sends Ctrl-C to the program itself.
    takeSignals((signal) => signal !== 'SIGINT' && child.kill(signal));
    guard.watch(child.pid);
    const code = await outcomeOf(child, program);
    over = true;
    return code;
  } finally {
    await guard.end(over);
  }
};
