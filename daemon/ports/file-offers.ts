// Ports of files that runs fetch from the daemon over HTTP, each once.
import type { RunFile } from './executor.ts';

/** The interface that executors use. */
export interface FileOffers {
  /** Returns a URL that serves the file once. @throws ExecutorError start when runs cannot reach the daemon */
  offer(ref: string, source: RunFile['source']): Promise<string>;
  withdraw(ref: string): Promise<void>;
  /** Withdraws the files of all runs except these. */
  keepOnly(refs: ReadonlySet<string>): Promise<void>;
}

/** A file that is being fetched. No other request can fetch it. */
export interface TakenFile {
  /** Bytes. */
  readonly size: number;
  readonly content: NodeJS.ReadableStream;
}

/** The interface that the HTTP listener uses. */
export interface OfferedFiles {
  /** Takes a file. Undefined if there is no such file, or if it was taken before. */
  take(ref: string, secret: string): Promise<TakenFile | undefined>;
}
