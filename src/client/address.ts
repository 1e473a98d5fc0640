// The address of the service, and the failures for requests that cannot reach it.
import { CliFailure, messageOf, systemCode } from '../failure.ts';
import { isUntrusted } from '../local/tls/untrusted-certificate.ts';

export interface SocketAddress {
  readonly socket: string;
  /** True for requests to the owner operations, false for requests to the public API. */
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

/**
 * The hint for a service that accepts connections but does not respond properly. @param isLocal true for the daemon
 * of this machine
 */
export const hintOfNetwork = (isLocal: boolean): string =>
  isLocal ? 'actorctl status' : 'check the network and the service, then run the command again';

/** How to trust the certificate that caused the error. Undefined for any other error. */
export const trustHint = (error: unknown): string | undefined =>
  isUntrusted(error)
    ? 'to trust the certificate: export NODE_EXTRA_CA_CERTS=FILE, the file of its authority'
    : undefined;

/** Returns the failure for an error: a CliFailure unchanged, or CANCELLED if the request was aborted. */
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
    // At this point nothing was sent, or the request went to the local daemon only.
    if (to.asOwner || (error as { syscall?: unknown } | undefined)?.syscall === 'connect')
      return unhealthy(to.socket, error);
  }
  const code = systemCode(error);
  if (code !== undefined && ABSENT.has(code)) {
    const hint = isLocal ? 'actorctl up' : 'check that this is the address of the service, and that the service runs';
    return new CliFailure('DAEMON_NOT_RUNNING', `cannot connect to ${named(to)}`, { hint, cause: error });
  }
  return new CliFailure('NETWORK', `cannot send the request to ${named(to)}: ${messageOf(error)}`, {
    hint: trustHint(error) ?? hintOfNetwork(isLocal),
    cause: error,
  });
};

/**
 * A daemon of an older version has no API on its management socket. It responds with an error that has no request
 * id.
 */
export const olderDaemon = (): CliFailure =>
  new CliFailure('DAEMON_VERSION', 'the daemon is older than this actorctl and does not understand its requests', {
    hint: 'actorctl daemon restart',
  });

/** The error for a service that does not respond within the time limit. */
export const silence = (to: Address, limitMs: number, isLocal: boolean): Error =>
  isAsOwner(to)
    ? new Error(`no response within ${limitMs} ms`)
    : new CliFailure('NETWORK', `${named(to)} did not respond within ${limitMs} ms`, { hint: hintOfNetwork(isLocal) });
