// Reads the log of an execution as a stream: the existing log, and with `follow` new output until the execution ends.
import type { CommandContext } from '../../../context.ts';
import type { LogLine } from '../../../contract/actors/executions.ts';
import { CliFailure } from '../../../failure.ts';

export type LogAsker = Pick<CommandContext, 'call' | 'stream' | 'signal'>;

export interface LogReadInput {
  readonly actorId: string;
  readonly executionId: string;
  /** True to continue until the execution ends, false to stop at the current end of the log. */
  readonly follow: boolean;
  readonly until?: AbortSignal;
}

/** A piece of a log. `old` is true if it existed before the read began. */
export interface LogPiece extends LogLine {
  readonly old: boolean;
}

/** Milliseconds without new data after which the existing log of a running execution counts as read. */
const SILENCE_MS = 1_000;

const readPiece = (data: string): LogLine => {
  try {
    return JSON.parse(data) as LogLine;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', 'the service sent a log stream that this actorctl does not understand', {
      cause: error,
    });
  }
};

/**
 * Reads the log of an execution. Without `follow` it stops where the log ended when the read began, even if the
 * execution still runs.
 */
export async function* readLog(
  { call, stream, signal }: LogAsker,
  { actorId, executionId, follow, until }: LogReadInput,
): AsyncGenerator<LogPiece, void, void> {
  const params = { actorId, executionId };
  const { logs } = await call('executions.logs', { params });
  const caughtUp = new AbortController();
  // The stream of a running execution does not end. Without `follow`, the read stops when it has received the length
  // that the log had at the start, or when nothing arrives for a while.
  if (!follow && logs === '') return;
  const silence = follow ? undefined : setTimeout(() => caughtUp.abort(), SILENCE_MS);
  const stop = AbortSignal.any([signal, caughtUp.signal, ...(until ? [until] : [])]);
  let length = 0;
  try {
    for await (const event of stream('executions.logs', { params, until: 'end', signal: stop })) {
      if (event.event !== 'log') continue;
      const piece = readPiece(event.data);
      silence?.refresh();
      const old = length < logs.length;
      length += piece.text.length;
      yield { ...piece, old };
      if (!follow && length >= logs.length) return;
    }
  } catch (error) {
    if (caughtUp.signal.aborted || until?.aborted === true) return;
    throw error;
  } finally {
    clearTimeout(silence);
  }
}

export type WholeLine = LogPiece;

/**
 * Splits a log into lines, separately for stdout and stderr. `take` returns the lines that a piece completes,
 * `rest` the lines without a line break. A notice is a whole line, and ends every line before it: output may be left out
 * there.
 */
export const createLineJoiner = () => {
  const begun = new Map<LogLine['stream'], LogPiece>();
  const rest = (): readonly WholeLine[] => {
    const lines = [...begun.values()];
    begun.clear();
    return lines;
  };
  return {
    take: (piece: LogPiece): readonly WholeLine[] => {
      if (piece.stream === 'notice') return [...rest(), { ...piece, text: piece.text.replace(/\n$/, '') }];
      const first = begun.get(piece.stream);
      // A line has the time of its first piece and the cursor of its last.
      const head = first === undefined ? piece : { ...first, cursor: piece.cursor };
      const parts = ((first?.text ?? '') + piece.text).split('\n');
      const open = parts.pop() ?? '';
      if (open === '') begun.delete(piece.stream);
      else begun.set(piece.stream, { ...(parts.length === 0 ? head : piece), text: open });
      return parts.map((text, index) => ({ ...(index === 0 ? head : piece), text: text.replace(/\r$/, '') }));
    },
    rest,
  };
};
