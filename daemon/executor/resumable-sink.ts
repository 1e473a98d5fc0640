// A log sink whose source can be read again from its first byte without delivering any byte twice.
import type { LogSink } from '../ports/executor.ts';

export type ResumableSink = ReturnType<typeof createResumableSink>;

/** @param sink gets every byte once, if all sources have the same content */
export const createResumableSink = (sink: LogSink) => {
  const delivered = { stdout: 0, stderr: 0 };
  return {
    /** The sink for a new source. For each stream, it drops as many bytes as earlier sources have delivered. */
    forNextSource: (): LogSink => {
      const skip = { ...delivered };
      return (stream, data, leftOut) => {
        const dropped = Math.min(skip[stream], data.length);
        skip[stream] -= dropped;
        if (dropped === data.length) return;
        delivered[stream] += data.length - dropped;
        if (dropped > 0) sink(stream, data.subarray(dropped));
        else sink(stream, data, leftOut);
      };
    },
  };
};
