// Starts the process that receives unix datagrams for the daemon: one process for all sockets, started when it is first
// needed.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createFrameReader, type Frame } from '../frames.ts';
import { type ReceiverProgram, receiverPrograms } from './programs.ts';

/** A receiver that has reported that it is ready. */
export interface Receiver {
  /** Sends a request. Does nothing if the receiver has ended. */
  request(line: string): void;
  /**
   * Stops or continues reading from the receiver. Meanwhile datagrams are queued, and senders block when the queue is
   * full.
   */
  pause(): void;
  resume(): void;
  /** Resolves when the receiver has ended. */
  readonly ended: Promise<void>;
  /** Ends the receiver. */
  close(): void;
}

const START_MS = 5_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts one program and waits until it is ready. @throws Error why the program does not run on this machine */
const start = ({ command, args }: ReceiverProgram, onFrame: (frame: Frame) => void): Promise<Receiver> =>
  new Promise((resolve, reject) => {
    // The receiver gets its own session: an interrupt at a terminal stops the daemon in order, and results are received
    // until then.
    const child: Child = spawn(command, [...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    const read = createFrameReader();
    const ended = new Promise<void>((over) => {
      child.once('close', () => over());
      child.once('error', () => over());
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
        request: (line) => void (child.stdin.writable && child.stdin.write(`${line}\n`)),
        pause: () => void child.stdout.pause(),
        resume: () => void child.stdout.resume(),
        ended,
        close: () => void child.stdin.end(),
      });
    };
    child.stdout.on('data', (piece: Buffer) => {
      for (const frame of read(piece)) {
        if (frame.kind === 'r') ready();
        else onFrame(frame);
      }
    });
  });

/**
 * Starts the first program that runs on this machine.
 * @param onFrame is called with every frame except the ready frame
 * @throws Error that lists each program and why it does not run
 */
export const startReceiver = async (
  onFrame: (frame: Frame) => void,
  programs: readonly ReceiverProgram[] = receiverPrograms,
): Promise<Receiver> => {
  const reasons: string[] = [];
  for (const program of programs) {
    try {
      return await start(program, onFrame);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`unix datagrams need perl or python3 (${reasons.join('; ')})`);
};
