// Starts the process that receives unix datagrams for the daemon: one process for all sockets, started when it is first
// needed.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type ReceiverProgram, receiverPrograms } from './programs.ts';

/** One message that the receiver sends to the daemon. @see `programs.ts` for the kinds */
interface Frame {
  readonly kind: string;
  readonly id: string;
  readonly bytes: Buffer;
}

const HEAD = 6;

const createFrameReader = (): ((piece: Buffer) => readonly Frame[]) => {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Bytes that the next frame needs. Chunks are joined only once this many bytes have arrived. */
  let needed = HEAD;

  return (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < needed) return [];
    const whole = Buffer.concat(pieces, size);
    const frames: Frame[] = [];
    let at = 0;
    needed = HEAD;
    while (whole.length - at >= HEAD) {
      const idLength = whole.readUInt8(at + 1);
      const length = HEAD + idLength + whole.readUInt32BE(at + 2);
      if (whole.length - at < length) {
        needed = length;
        break;
      }
      frames.push({
        kind: whole.toString('latin1', at, at + 1),
        id: whole.toString('latin1', at + HEAD, at + HEAD + idLength),
        bytes: whole.subarray(at + HEAD + idLength, at + length),
      });
      at += length;
    }
    pieces = [whole.subarray(at)];
    size = whole.length - at;
    return frames;
  };
};

export interface Receiver {
  /**
   * Sends a request and returns the response of kind `o`, `e` or `f`. Undefined if none arrives in time. Responses come
   * in the order of the requests.
   */
  ask(line: string): Promise<Frame | undefined>;
  /** Sends a request without a response. Does nothing if the receiver has ended. */
  tell(line: string): void;
  /**
   * Pauses or resumes reading. While reading is paused, datagrams are queued, and senders block when the queue is full.
   */
  pause(): void;
  resume(): void;
  readonly ended: Promise<void>;
  close(): void;
}

const START_MS = 5_000;
const ANSWER_MS = 10_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts one program and waits until it is ready. @throws Error why the program does not run on this machine */
const start = (
  { command, args }: ReceiverProgram,
  folder: string,
  onDatagram: (frame: Frame) => void,
): Promise<Receiver> =>
  new Promise((resolve, reject) => {
    // The receiver gets its own session. An interrupt at a terminal stops the daemon in order, and results are received
    // until then.
    const child: Child = spawn(command, [...args], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    const read = createFrameReader();
    /** Callers that wait for a response. Undefined once the receiver has ended. */
    let waiting: ((answer: Frame | undefined) => void)[] | undefined = [];
    const ended = new Promise<void>((over) => {
      const end = (): void => {
        for (const answer of waiting ?? []) answer(undefined);
        waiting = undefined;
        over();
      };
      child.once('close', end);
      child.once('error', end);
    });
    const tell = (line: string): void => void (child.stdin.writable && child.stdin.write(`${line}\n`));
    const ask = (line: string): Promise<Frame | undefined> =>
      new Promise((answered) => {
        if (waiting === undefined) return answered(undefined);
        // The request stays in `waiting` after this, because a response that comes later still belongs to it.
        const late = setTimeout(() => answered(undefined), ANSWER_MS);
        waiting.push((answer) => {
          clearTimeout(late);
          answered(answer);
        });
        tell(line);
      });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`${command}: ${why}`));
    };
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => fail(`it ended with exit code ${String(code)}`));
    // Writing to a receiver that is ending fails; `ended` reports the end.
    child.stdin.on('error', () => undefined);
    const ready = () => {
      clearTimeout(timer);
      resolve({
        ask,
        tell,
        pause: () => void child.stdout.pause(),
        resume: () => void child.stdout.resume(),
        ended,
        close: () => void child.stdin.end(),
      });
    };
    child.stdout.on('data', (piece: Buffer) => {
      for (const frame of read(piece)) {
        if (frame.kind === 'r') ready();
        else if (frame.kind === 'd') onDatagram(frame);
        else waiting?.shift()?.(frame);
      }
    });
  });

/**
 * Starts the first program that runs on this machine.
 * @param folder the folder in which it works: it opens sockets by their names there, because a path may be too long
 * @throws Error that lists each program and why it does not run
 */
export const startReceiver = async (
  folder: string,
  onDatagram: (frame: Frame) => void,
  programs: readonly ReceiverProgram[] = receiverPrograms,
): Promise<Receiver> => {
  const reasons: string[] = [];
  for (const program of programs) {
    try {
      return await start(program, folder, onDatagram);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`unix datagrams need perl or python3 (${reasons.join('; ')})`);
};
