// Takes apart the stream in which the engine mixes stdout and stderr of a container.
import { Readable } from 'node:stream';
import type { LogSink } from '../../ports/executor.ts';

const HEADER = 8;
const STDOUT = 1;

/**
 * Hands each piece of the stream to the sink as it comes; nothing is kept but an unfinished frame header.
 * @see https://docs.docker.com/reference/api/engine/version/v1.41/#operation/ContainerAttach "Stream format"
 */
export const createDemux = (sink: LogSink): ((chunk: Buffer) => void) => {
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
      sink(header[0] === STDOUT ? 'stdout' : 'stderr', piece);
      at += piece.length;
      left -= piece.length;
    }
  };
};

/** Lets go of a stream of the engine, whatever it still had to say. */
export const discard = (stream: NodeJS.ReadableStream): void => {
  // Breaking it off may make it complain, to nobody.
  stream.on('error', () => undefined);
  if (stream instanceof Readable) stream.destroy();
};

/** The reading of one stream to its end. */
export interface Reading {
  /** Resolves when the stream is over: `true` if it came to its end, `false` if it broke off. */
  readonly over: Promise<boolean>;
  /** Resolves when it is over, or when nothing came for `quietMs`; `true` only if it came to its end. */
  settled(quietMs: number): Promise<boolean>;
  stop(): void;
}

/** Reads a stream of the engine into a sink. Nothing is read ahead of the sink. */
export const readStream = (stream: NodeJS.ReadableStream, sink: LogSink): Reading => {
  let heard = performance.now();
  const push = createDemux(sink);
  const over = new Promise<boolean>((resolve) => {
    stream.on('end', () => resolve(true));
    stream.on('error', () => resolve(false));
    stream.on('close', () => resolve(false));
  });
  stream.on('data', (chunk: Buffer) => {
    heard = performance.now();
    push(chunk);
  });
  return {
    over,
    settled: async (quietMs) => {
      let timer: NodeJS.Timeout | undefined;
      const quiet = new Promise<false>((resolve) => {
        const look = () => {
          const left = heard + quietMs - performance.now();
          if (left <= 0) resolve(false);
          else timer = setTimeout(look, left);
        };
        heard = performance.now();
        look();
      });
      try {
        return await Promise.race([over, quiet]);
      } finally {
        clearTimeout(timer);
      }
    },
    stop: () => discard(stream),
  };
};
