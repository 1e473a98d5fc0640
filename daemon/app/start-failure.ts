// Maps startup errors to the codes that the command `up` understands.
import { ConfigError } from '../config.ts';
import { Failure } from '../domain/failure.ts';
import { errnoOf, FolderRefused, Locked, StoreDamaged, StoreTooNew, StoreUnwritable } from '../store/store-errors.ts';
import { PortInUse } from './listen.ts';
import { ReplacementRefused } from './replace-data.ts';

export interface StartFailure {
  readonly code:
    | 'PORT_IN_USE'
    | 'LOCKED'
    | 'DATA_DAMAGED'
    | 'DATA_TOO_NEW'
    | 'DATA_UNWRITABLE'
    | 'OTHER_CLOCK'
    | 'CONFIG'
    | 'INTERNAL'
    | ReplacementRefused['code'];
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export const startFailureOf = (error: unknown): StartFailure => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PortInUse)
    return { code: 'PORT_IN_USE', message, detail: { port: error.port, flag: error.flag } };
  if (error instanceof Locked) {
    const { pid, instance, stateDir, since } = error.holder;
    return { code: 'LOCKED', message, detail: { pid, instance, state_dir: stateDir, since, here: error.ofHere } };
  }
  if (error instanceof StoreDamaged)
    return { code: 'DATA_DAMAGED', message, detail: { file: error.file, line: error.line } };
  if (error instanceof StoreTooNew) return { code: 'DATA_TOO_NEW', message, detail: {} };
  if (error instanceof StoreUnwritable)
    return { code: 'DATA_UNWRITABLE', message, detail: { path: error.path, errno: errnoOf(error.cause) } };
  if (error instanceof FolderRefused) return { code: 'DATA_UNWRITABLE', message, detail: { path: error.path } };
  if (error instanceof Error && 'path' in error && ['EACCES', 'EPERM', 'EROFS'].includes(errnoOf(error) ?? ''))
    return { code: 'DATA_UNWRITABLE', message, detail: { path: error.path, errno: errnoOf(error) } };
  if (error instanceof Failure && error.code === 'OTHER_CLOCK')
    return { code: error.code, message, detail: error.detail ?? {} };
  if (error instanceof ReplacementRefused) return { code: error.code, message, detail: {} };
  if (error instanceof ConfigError) return { code: 'CONFIG', message, detail: {} };
  return { code: 'INTERNAL', message, detail: {} };
};
