// The standard output and error output of the process.
import { fstatSync, writeSync } from 'node:fs';
import { type Loss, lossyOutput } from './lossy-output.ts';
import type { Sink } from './ui/sink.ts';

/** Writes synchronously. Returns the bytes that could not be written, for any reason. */
const unwritten = (descriptor: number, chunk: string | Uint8Array): Uint8Array => {
  let rest: Uint8Array = Buffer.from(chunk);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch {
    // The pipe is full or the output has failed. The Node stream then waits for the reader, or reports the error.
  }
  return rest;
};

/**
 * A standard stream. The stream of Node is opened when its properties are read, or when a write fails: its modules take
 * longer to load than a help text takes to write.
 * @param stream returns the stream of the process
 */
export const standardStream = (
  descriptor: number,
  stream: () => Parameters<typeof lossyOutput>[0],
  loss?: Loss,
): Sink => {
  let opened: Sink | undefined;
  const open = (): Sink => {
    opened ??= lossyOutput(stream(), loss);
    return opened;
  };
  return {
    get isTTY() {
      return open().isTTY;
    },
    get columns() {
      return open().columns;
    },
    get rows() {
      return open().rows;
    },
    write: (chunk, done) => {
      if (opened !== undefined) return opened.write(chunk, done);
      const rest = unwritten(descriptor, chunk);
      if (rest.length > 0) return open().write(rest, done);
      if (done) setImmediate(done);
      return true;
    },
  };
};

/** True if both standard streams are the same terminal, pipe or file. */
export const isSameOutput = (): boolean => {
  try {
    const [stdout, stderr] = [fstatSync(1), fstatSync(2)];
    return stdout.dev === stderr.dev && stdout.ino === stderr.ino;
  } catch {
    return false; // one of them is closed
  }
};

/**
 * Adds `startLine` to stderr, for lines after output of an actor that does not end with a line break.
 * @param isShared true if the reader sees both streams in one place
 */
export const withLineStarts = (
  stdout: Sink,
  stderr: Sink,
  isShared: () => boolean,
): { readonly stdout: Sink; readonly stderr: Sink } => {
  let last: 'stdout' | 'stderr' = 'stderr';
  const isBegun = { stdout: false, stderr: false };
  const noting = (name: typeof last, sink: Sink): Sink => ({
    get isTTY() {
      return sink.isTTY;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    write: (chunk, done) => {
      if (chunk.length > 0) {
        last = name;
        isBegun[name] = typeof chunk === 'string' ? !chunk.endsWith('\n') : chunk.at(-1) !== 10;
      }
      return sink.write(chunk, done);
    },
  });
  const noted = noting('stderr', stderr);
  return {
    stdout: noting('stdout', stdout),
    stderr: Object.defineProperty(noted, 'startLine', {
      value: () => {
        if (last === 'stdout' && isShared() ? isBegun.stdout : isBegun.stderr) noted.write('\n');
      },
    }),
  };
};
