// Reads the log of an execution piece by piece: what is there, and with `follow` what comes, until the execution ends.
import type { CommandContext } from '../../context.ts';
import type { LogLine } from '../../contract/actors/executions.ts';
import { CliFailure } from '../../failure.ts';

/** What a read of a log needs of the context. */
export type LogAsker = Pick<CommandContext, 'call' | 'stream' | 'signal'>;

export interface LogReadInput {
  readonly actorId: string;
  readonly executionId: string;
  /** Go on until the execution ends; otherwise end with what is there now. */
  readonly follow: boolean;
  /** Ends the read early, quietly. */
  readonly until?: AbortSignal;
}

/** A piece of a log, and whether it was there before the read began. */
export interface LogPiece extends LogLine {
  readonly old: boolean;
}

/** Silence after which a running execution has no more old log to give, in milliseconds. */
const SILENCE_MS = 1_000;

const readPiece = (data: string): LogLine => {
  try {
    return JSON.parse(data) as LogLine;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', 'the log stream is not the JSON this actorctl expects', { cause: error });
  }
};

/**
 * The pieces of a log in their order. Without `follow` it ends where the log ended when the read began, also while the
 * execution runs on.
 * @throws CliFailure NOT_FOUND, the refusals of the service, CANCELLED
 */
export async function* readLog(
  { call, stream, signal }: LogAsker,
  { actorId, executionId, follow, until }: LogReadInput,
): AsyncGenerator<LogPiece, void, void> {
  const params = { actorId, executionId };
  const { logs } = await call('executions.logs', { params });
  const caughtUp = new AbortController();
  // The stream of a running execution does not end by itself; what was there is measured by its length, and by silence.
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

/** A whole line of a log, without its line end. */
export type WholeLine = LogPiece;

/**
 * Puts pieces together to lines, stdout and stderr each for itself, because pieces end anywhere.
 * `take` answers the lines that a piece completes, `rest` those without a line end when the log is over.
 */
export const createLineJoiner = () => {
  const begun = new Map<LogLine['stream'], LogPiece>();
  return {
    take: (piece: LogPiece): readonly WholeLine[] => {
      const first = begun.get(piece.stream);
      // A line has the time and age of its first piece, and the cursor of its last.
      const head = first === undefined ? piece : { ...first, cursor: piece.cursor };
      const parts = ((first?.text ?? '') + piece.text).split('\n');
      const open = parts.pop() ?? '';
      if (open === '') begun.delete(piece.stream);
      else begun.set(piece.stream, { ...(parts.length === 0 ? head : piece), text: open });
      return parts.map((text, index) => ({ ...(index === 0 ? head : piece), text: text.replace(/\r$/, '') }));
    },
    rest: (): readonly WholeLine[] => {
      const lines = [...begun.values()];
      begun.clear();
      return lines;
    },
  };
};
