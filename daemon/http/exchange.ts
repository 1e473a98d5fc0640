// The data of one request, stored from its arrival until it is logged.
import type { Response } from 'express';
import { probeWithInterim } from './response/half-closed.ts';
import type { Caller } from './route-handler.ts';

/** Exists as long as the request. */
export interface Exchange {
  readonly id: string;
  /** Start time in ms of a monotonic clock. */
  readonly startedAt: number;
  /** Method and route pattern. The path itself is not stored, because it may contain secrets. */
  route: string;
  caller: Caller | undefined;
  /** Fires when the client disconnects or the daemon stops. Created at the first call. */
  readonly signal: () => AbortSignal;
}

export interface Locals extends Record<string, unknown> {
  exchange: Exchange;
}

export type ExchangeResponse = Response<unknown, Locals>;

/** Creates the signal of an exchange on demand, because most handlers never wait. */
export const lazySignal = (response: ExchangeResponse, stopping: AbortSignal): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  return () => {
    if (signal !== undefined) return signal;
    const controller = new AbortController();
    signal = controller.signal;
    const stop = () => controller.abort(stopping.reason);
    if (stopping.aborted) stop();
    stopping.addEventListener('abort', stop);
    const onClose = () => {
      stopping.removeEventListener('abort', stop);
      controller.abort(new Error('the client has disconnected'));
    };
    if (response.destroyed) onClose();
    response.once('close', onClose);
    probeWithInterim(response);
    return signal;
  };
};
