// Reads the engine's output stream of a container, which mixes stdout and stderr.
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { LogSink } from '../../ports/executor.ts';

const HEADER = 8;
const STDOUT = 1;
/** Messages of the engine itself, which a Swarm manager puts into the log of a service. */
const ENGINE = 3;

/**
 * Passes stream content to the sink at once. Only an incomplete frame header is buffered.
 * @see https://docs.docker.com/reference/api/engine/version/v1.41/#operation/ContainerAttach "Stream format"
 */
export const createDemux = (
  sink: LogSink,
  onEngineMessage: (text: string) => void = () => undefined,
): ((chunk: Buffer) => void) => {
  const header = Buffer.alloc(HEADER);
  let headerBytes = 0;
  let left = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const taken = chunk.copy(header, headerBytes, at, at + HEADER - headerBytes);
        headerBytes += taken;
        at += taken;
        if (headerBytes < HEADER) return;
        headerBytes = 0;
        left = header.readUInt32BE(4);
        continue;
      }
      const piece = chunk.subarray(at, at + left);
      if (header[0] === ENGINE) onEngineMessage(piece.toString());
      else sink(header[0] === STDOUT ? 'stdout' : 'stderr', piece);
      at += piece.length;
      left -= piece.length;
    }
  };
};

export const closeStream = (stream: NodeJS.ReadableStream): void => {
  // Closing the stream may raise an error, which has no meaning.
  stream.on('error', () => undefined);
  if (stream instanceof Readable) stream.destroy();
};

export const isSilent = (stream: NodeJS.ReadableStream): boolean =>
  stream instanceof IncomingMessage && !stream.destroyed && !stream.complete && stream.readableLength === 0;

export type Reading = ReturnType<typeof readStream>;

/**
 * Holds back output that looks like an engine fault until more output follows, which proves that a program wrote it. If
 * it is still held at the end (`isHeld`), the stream broke.
 */
const holdingBack = (sink: LogSink, fault: RegExp) => {
  let held: Uint8Array | undefined;
  const pass: LogSink = (stream, data) => {
    if (held !== undefined) sink('stderr', held);
    held = stream === 'stderr' && fault.test(Buffer.from(data).toString()) ? Buffer.from(data) : undefined;
    if (held === undefined) sink(stream, data);
  };
  return { pass, isHeld: () => held !== undefined };
};

export interface EngineWords {
  /** Text that the engine writes to stderr at the end of a broken stream. It is not passed to the sink. */
  readonly fault?: RegExp | undefined;
  /** Receives the text of frames that are neither stdout nor stderr. */
  readonly onEngineMessage?: (text: string) => void;
}

/** Reads a stream of the engine into a sink, without buffering. */
export const readStream = (stream: NodeJS.ReadableStream, sink: LogSink, words: EngineWords = {}) => {
  let lastDataAt = performance.now();
  const held = words.fault && holdingBack(sink, words.fault);
  const push = createDemux(held?.pass ?? sink, words.onEngineMessage);
  let isOver = false;
  const over = new Promise<boolean>((resolve) => {
    const end = (isWhole: boolean): void => {
      isOver = true;
      resolve(isWhole);
    };
    stream.on('end', () => end(held?.isHeld() !== true));
    stream.on('error', () => end(false));
    stream.on('close', () => end(false));
  });
  stream.on('data', (chunk: Buffer) => {
    lastDataAt = performance.now();
    push(chunk);
  });
  return {
    /** Resolves when the stream is over: `true` if it ended, `false` if it broke. */
    over,
    isOver: (): boolean => isOver,
    /** Resolves when the stream is over or silent for `quietMs`. `true` only if it ended. */
    settled: async (quietMs: number): Promise<boolean> => {
      let timer: NodeJS.Timeout | undefined;
      const quiet = new Promise<false>((resolve) => {
        const look = () => {
          const left = lastDataAt + quietMs - performance.now();
          if (left <= 0) resolve(false);
          else timer = setTimeout(look, left);
        };
        lastDataAt = performance.now();
        look();
      });
      try {
        return await Promise.race([over, quiet]);
      } finally {
        clearTimeout(timer);
      }
    },
    stop: (): void => closeStream(stream),
  };
};
