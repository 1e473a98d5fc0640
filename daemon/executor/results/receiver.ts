// The process that receives unix datagrams for the daemon: started when first needed, one for all sockets.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createFrameReader, type Frame } from './frames.ts';
import { type ReceiverProgram, receiverPrograms } from './programs.ts';

/** A receiver that has said that it is there. */
export interface Receiver {
  /** Sends an order; of a receiver that has ended, nobody hears it. */
  order(line: string): void;
  /** Stops telling, or goes on; what comes meanwhile waits, and senders wait when too much does. */
  pause(): void;
  resume(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Lets it end. */
  close(): void;
}

const START_MS = 5_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts one program and waits for its first frame. @throws Error why it does not run here */
const start = ({ command, args }: ReceiverProgram, told: (frame: Frame) => void): Promise<Receiver> =>
  new Promise((resolve, reject) => {
    // A session of its own: an interrupt at a terminal stops the daemon in order, and what comes until then is received.
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
    // An order to one that is ending: `ended` says it.
    child.stdin.on('error', () => undefined);
    const ready = () => {
      clearTimeout(timer);
      resolve({
        order: (line) => void (child.stdin.writable && child.stdin.write(`${line}\n`)),
        pause: () => void child.stdout.pause(),
        resume: () => void child.stdout.resume(),
        ended,
        close: () => void child.stdin.end(),
      });
    };
    child.stdout.on('data', (piece: Buffer) => {
      for (const frame of read(piece)) {
        if (frame.kind === 'r') ready();
        else told(frame);
      }
    });
  });

/**
 * Starts the first program that this machine has.
 * @param told is called with everything the receiver tells
 * @throws Error what was tried and why each did not run
 */
export const startReceiver = async (
  told: (frame: Frame) => void,
  programs: readonly ReceiverProgram[] = receiverPrograms,
): Promise<Receiver> => {
  const reasons: string[] = [];
  for (const program of programs) {
    try {
      return await start(program, told);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`unix datagrams need perl or python3 (${reasons.join('; ')})`);
};
