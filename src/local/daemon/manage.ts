// The type of a call of an owner operation, which the daemon serves only on its management socket.
import type { InputOf, ResultOf } from '../../contract/operation.ts';
import type { Operations, OwnerOperationId } from '../../contract/operations.ts';
import type { Launch } from './launch.ts';

export interface LongInput {
  /** Bytes that follow the input in the request body. */
  readonly bytes?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly onText?: (text: string) => unknown;
  /** Aborts a long operation. Default: the signal of the command. */
  readonly signal?: AbortSignal;
}

/**
 * Calls an operation of the owner.
 * @throws CliFailure DAEMON_NOT_RUNNING if nothing listens, DAEMON_UNHEALTHY if there is no response, DAEMON_VERSION if
 * the response is unknown, USAGE if another user could have made the socket, CANCELLED, or the code from the daemon
 */
export type Manage = <Id extends OwnerOperationId>(
  id: Id,
  input?: InputOf<Operations[Id]>,
  long?: LongInput,
) => Promise<ResultOf<Operations[Id]>>;

export type ManageStatus = ResultOf<Operations['daemon.status']> & { readonly launch?: Launch };

export const statusOf = async (manage: Manage): Promise<ManageStatus> =>
  (await manage('daemon.status')) as ManageStatus;
