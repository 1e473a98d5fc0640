// Translates errors of the container engine to errors of the executor port.
import { engineStartFault } from '../../domain/executions/start-fault.ts';
import { ExecutorError, type ExecutorErrorKind } from '../../ports/executor.ts';
import { readField } from '../read-field.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EACCES',
  'EPERM',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** HTTP statuses of a proxy or virtual machine in front of the engine, which may still carry out the call. */
const PROXY_STATUSES = new Set([502, 503, 504]);

export const statusOf = (error: unknown): number | undefined => {
  const status = readField(error, 'statusCode');
  return typeof status === 'number' ? status : undefined;
};

/** The engine's own error message, without the prefix of the client library. */
export const engineMessage = (error: unknown): string => {
  const said = readField(error, 'json', 'message');
  if (typeof said === 'string' && said !== '') return said.trim();
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\(HTTP code \d+\) [^-]* - /, '').trim();
};

/** True if the engine cannot be reached; false if it refused. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof ExecutorError) return error.kind === 'unavailable';
  const status = statusOf(error);
  if (status !== undefined) return PROXY_STATUSES.has(status);
  const code = readField(error, 'code');
  return typeof code === 'string' && UNREACHABLE.has(code);
};

/** The port's error for a failed engine call: `unavailable` if the engine cannot be reached, otherwise `kind`. */
export const toExecutorError = (error: unknown, kind: ExecutorErrorKind, what: string): ExecutorError => {
  if (error instanceof ExecutorError) return error;
  if (isUnreachable(error))
    return new ExecutorError('unavailable', `the container engine does not answer: ${engineMessage(error)}`, {
      cause: error,
    });
  return new ExecutorError(kind, what === '' ? engineMessage(error) : `${what}: ${engineMessage(error)}`, {
    cause: error,
  });
};

/** The port's error for an engine that refuses to create or start a container or a service. */
export const toStartError = (error: unknown, what: string): ExecutorError => {
  const { kind, message } = engineStartFault(engineMessage(error));
  return error instanceof ExecutorError || isUnreachable(error)
    ? toExecutorError(error, 'start', what)
    : new ExecutorError(kind, kind === 'start' ? `${what}: ${message}` : message, { cause: error });
};

/**
 * After `timeoutMs` (never if it is infinite), or when `signal` fires, the promise rejects and the call's own signal fires.
 * @throws ExecutorError unavailable after `timeoutMs`; the reason of `signal` when that fires
 */
export const withTimeout = <T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const give = (reason: unknown) => {
      clear();
      reject(reason);
      controller.abort(reason);
    };
    const aborted = () => give(signal?.reason);
    const late = () =>
      give(new ExecutorError('unavailable', `the container engine did not answer within ${timeoutMs / 1000} seconds`));
    const timer = Number.isFinite(timeoutMs) ? setTimeout(late, timeoutMs) : undefined;
    const clear = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    work(controller.signal).then(
      (value) => {
        clear();
        resolve(value);
      },
      (error: unknown) => {
        clear();
        reject(error);
      },
    );
  });
