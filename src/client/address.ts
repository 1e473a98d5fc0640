// Where requests go, and why they do not arrive.
import { CliFailure, messageOf, systemCode } from '../failure.ts';

export interface SocketAddress {
  readonly socket: string;
  /** True for the operations of the owner, false for the API. */
  readonly asOwner?: boolean;
}

export type Address = string | SocketAddress;

export const isAsOwner = (to: Address): to is SocketAddress => typeof to !== 'string' && to.asOwner === true;

const isAbsent = (error: unknown): boolean => ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(systemCode(error) ?? '');

const notRunning = (cause: unknown): CliFailure =>
  new CliFailure('DAEMON_NOT_RUNNING', 'the daemon is not running', { hint: 'actorctl up', cause });

export const unhealthy = (socket: string, cause: unknown): CliFailure =>
  new CliFailure('DAEMON_UNHEALTHY', `the daemon does not respond on ${socket}: ${messageOf(cause)}`, {
    hint: 'actorctl daemon logs -n 50',
    cause,
  });

/** System errors that mean that nothing listens at the address. */
const ABSENT = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/** What to do when a service that listens does not answer properly. @param isLocal true for the daemon of this machine */
export const hintOfNetwork = (isLocal: boolean): string =>
  isLocal ? 'actorctl status' : 'check the network and the service, then run the command again';

/** The failure for an error that is one already, or that an abort of the request has caused. */
export const ownFailure = (error: unknown, signal: AbortSignal | undefined): CliFailure | undefined => {
  if (error instanceof CliFailure) return error;
  return signal?.aborted ? new CliFailure('CANCELLED', 'interrupted', { cause: error }) : undefined;
};

const named = (to: Address): string => (typeof to === 'string' ? to : to.socket);

export const translate = (
  error: unknown,
  to: Address,
  isLocal: boolean,
  signal: AbortSignal | undefined,
): CliFailure => {
  const own = ownFailure(error, signal);
  if (own) return own;
  if (typeof to !== 'string') {
    if (isAbsent(error)) return notRunning(error);
    // Nothing was sent, or only to the daemon itself.
    if (to.asOwner || (error as { syscall?: unknown } | undefined)?.syscall === 'connect')
      return unhealthy(to.socket, error);
  }
  const code = systemCode(error);
  if (code !== undefined && ABSENT.has(code)) {
    const hint = isLocal ? 'actorctl up' : 'check that this is the address of the service, and that the service runs';
    return new CliFailure('DAEMON_NOT_RUNNING', `cannot connect to ${named(to)}`, { hint, cause: error });
  }
  return new CliFailure('NETWORK', `cannot send the request to ${named(to)}: ${messageOf(error)}`, {
    hint: hintOfNetwork(isLocal),
    cause: error,
  });
};

/** A daemon of an older version has no API on its management socket, and answers with an error without a request id. */
export const olderDaemon = (): CliFailure =>
  new CliFailure('DAEMON_VERSION', 'the daemon is older than this actorctl, and does not know its requests', {
    hint: 'actorctl daemon restart',
  });

/** The error of an address that is silent for too long. */
export const silence = (to: Address, limitMs: number, isLocal: boolean): Error =>
  isAsOwner(to)
    ? new Error(`no response within ${limitMs} ms`)
    : new CliFailure('NETWORK', `${named(to)} did not respond within ${limitMs} ms`, { hint: hintOfNetwork(isLocal) });
