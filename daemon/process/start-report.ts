// Reports the result of the daemon's start to the program that started it: one JSON line on an inherited file
// descriptor.
import { closeSync, writeSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { FolderRefused, Locked, StoreDamaged, StoreTooNew, StoreUnwritable } from '../store/store-errors.ts';

/** Why a start failed; the command `up` words it for the user. */
export interface StartFailure {
  readonly code: 'PORT_IN_USE' | 'LOCKED' | 'DATA_DAMAGED' | 'DATA_TOO_NEW' | 'DATA_UNWRITABLE' | 'CONFIG' | 'INTERNAL';
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Another program uses the requested port. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly port: number;

  constructor(address: string, port: number) {
    super(`port ${port} of ${address} is in use; choose another with --port N, or --port auto`);
    this.port = port;
  }
}

/** Maps an error of the start to its code. */
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
 * Returns a function that writes one JSON line to the descriptor and closes it. Only the first call writes, because the
 * number may later belong to another file. A starter that has ended is ignored.
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
      // No reader any more (EPIPE), or the descriptor never was a pipe (EBADF).
    }
  };
};
