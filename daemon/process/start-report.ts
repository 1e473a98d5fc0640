// Tells whoever started the daemon how the start went: one JSON line on the descriptor it was given, then the end.
import { closeSync, writeSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { FolderRefused, Locked, StoreDamaged, StoreTooNew, StoreUnwritable } from '../store/store-errors.ts';

/** Why a start failed; `up` words it. */
export interface StartFailure {
  readonly code: 'PORT_IN_USE' | 'LOCKED' | 'DATA_DAMAGED' | 'DATA_TOO_NEW' | 'DATA_UNWRITABLE' | 'CONFIG' | 'INTERNAL';
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The port that was wished for is somebody else's. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly port: number;

  constructor(address: string, port: number) {
    super(`port ${port} of ${address} is in use; choose another with --port N, or --port auto`);
    this.port = port;
  }
}

/** Sorts an error of the start. */
export const startFailureOf = (error: unknown): StartFailure => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PortInUse) return { code: 'PORT_IN_USE', message, detail: { port: error.port } };
  if (error instanceof Locked) return { code: 'LOCKED', message, detail: { ...error.holder } };
  if (error instanceof StoreDamaged)
    return { code: 'DATA_DAMAGED', message, detail: { file: error.file, line: error.line } };
  if (error instanceof StoreTooNew) return { code: 'DATA_TOO_NEW', message, detail: {} };
  if (error instanceof StoreUnwritable || error instanceof FolderRefused) {
    return { code: 'DATA_UNWRITABLE', message, detail: { path: error.path } };
  }
  if (error instanceof ConfigError) return { code: 'CONFIG', message, detail: {} };
  return { code: 'INTERNAL', message, detail: {} };
};

/**
 * Returns what writes that line and closes the descriptor: once, because its number may belong to a file of ours afterwards.
 * A starter that has gone is no trouble of ours.
 */
export const starterAt = (fd: number | undefined): ((word: Readonly<Record<string, unknown>>) => void) => {
  let waiting = fd;
  return (word) => {
    if (waiting === undefined) return;
    const open = waiting;
    waiting = undefined;
    try {
      writeSync(open, `${JSON.stringify(word)}\n`);
      closeSync(open);
    } catch {
      // Nobody listens any more: EPIPE, or EBADF when there never was a pipe.
    }
  };
};
