// The loop of `dev` and `actors dev`: one round after every change of a folder, one round at a time. After an error
// the loop waits for the next change.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { FailureCode } from '../../contract/failure-codes.ts';
import { CliFailure } from '../../failure.ts';
import { watchFolder } from '../../local/project/watch-folder.ts';
import { lineFields } from '../executions/logs/log-writer.ts';

const CTRL_C = '\u0003';

/** Failure codes that no change of the files can fix. */
const beyondTheFiles: ReadonlySet<FailureCode> = new Set([
  'CANCELLED',
  'DAEMON_NOT_RUNNING',
  'AUTH_REQUIRED',
  'AUTH_FAILED',
  'TOKEN_EXPIRED',
]);

/**
 * The fields of the objects that `dev` and `actors dev` both print for programs: errors, lines of logs, and
 * outcomes.
 */
export const loopFields: readonly string[] = [
  'type',
  ...lineFields,
  'code',
  'message',
  'status',
  'exit_code',
  'reason',
];

/** Runs one round. An error in the files is reported, and the next change triggers a new round. */
export const orWait = async <T>(
  { output }: Pick<CommandContext, 'output'>,
  round: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await round();
  } catch (error) {
    if (!(error instanceof CliFailure) || beyondTheFiles.has(error.code)) throw error;
    const log = error.extras.details?.['log'];
    if (output.machine) await output.event('', { type: 'error', code: error.code, message: error.message });
    else {
      if (Array.isArray(log)) output.errorText(log.map((each) => `  | ${String(each)}\n`).join(''));
      output.warn(`${error.message}; waiting for a change`);
    }
    return undefined;
  }
};

/** Runs one task at a time. Of the tasks requested meanwhile, only the last one runs. */
const createQueue = (onFailure: (error: unknown) => void) => {
  let busy: Promise<void> | undefined;
  let next: (() => Promise<void>) | undefined;
  const drain = async (): Promise<void> => {
    while (next) {
      const work = next;
      next = undefined;
      await work();
    }
  };
  return {
    ask: (work: () => Promise<void>): void => {
      next = work;
      busy ??= drain()
        .catch(onFailure)
        .finally(() => {
          busy = undefined;
        });
    },
    idle: (): Promise<void> => busy ?? Promise.resolve(),
  };
};

export interface Development {
  /** Runs at the start, and again after every change. It must end soon after the loop ends. */
  readonly round: () => Promise<void>;
  /** The actions of other keys. `q` and Ctrl-C end the loop. */
  readonly keys?: Readonly<Record<string, () => Promise<void>>>;
  /** Called with the changed files before the round after a change. */
  readonly changed?: (names: readonly string[]) => void;
  /** Cleans up what the rounds have started, even after a failure. @param idle resolves when no task runs any more */
  readonly end: (idle: Promise<void>) => Promise<void>;
}

export interface DevLoop {
  readonly until: AbortSignal;
  readonly fail: (error: unknown) => void;
}

/** Folders inside `folder` that actorctl itself writes, for example with ACTORCTL_HOME in a project. */
const ownFolders = ({ paths, user }: Pick<CommandContext, 'paths' | 'user'>, folder: string): readonly string[] =>
  [
    user.env['ACTORCTL_HOME'] || paths.configDir,
    ...[paths.configDir, path.dirname(paths.dataDir), path.dirname(paths.stateDir), paths.temporaryDir],
  ]
    .map((own) => path.relative(folder, own).replaceAll(path.sep, '/'))
    .filter((name) => name !== '' && !name.startsWith('..') && !path.isAbsolute(name));

/** Repeats a round on every change of a folder until a key, an interrupt or a failure ends the loop. */
export const repeatOnChange = async (
  { output, keys, signal, paths, user }: Pick<CommandContext, 'output' | 'keys' | 'signal' | 'paths' | 'user'>,
  { folder, isIgnored = () => false }: { readonly folder: string; readonly isIgnored?: (name: string) => boolean },
  begin: (loop: DevLoop) => Development,
): Promise<void> => {
  output.watchReader();
  const over = new AbortController();
  let trouble: unknown;
  const fail = (error: unknown): void => {
    // A task that was interrupted by the end of the loop is not a failure.
    if (over.signal.aborted && error instanceof CliFailure && error.code === 'CANCELLED') return;
    trouble ??= error;
    over.abort();
  };
  const until = AbortSignal.any([signal, over.signal]);
  const queue = createQueue(fail);
  const { round, keys: own = {}, changed, end } = begin({ until, fail });
  const stopListening = keys.listen((key) => {
    const work = own[key];
    if (key === 'q' || key === CTRL_C) over.abort();
    else if (work !== undefined) queue.ask(work);
  });
  try {
    // .dockerignore does not apply here: the watcher has its own short list of ignored files.
    const own = ownFolders({ paths, user }, folder);
    await watchFolder(
      folder,
      (name) => isIgnored(name) || own.some((each) => name === each || name.startsWith(`${each}/`)),
      (names) => {
        output.note(`changed: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`);
        changed?.(names);
        queue.ask(round);
      },
      until,
    );
    queue.ask(round);
    if (!until.aborted)
      await new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    stopListening();
    over.abort();
    await end(queue.idle());
  }
  if (trouble !== undefined && !signal.aborted) throw trouble;
};
