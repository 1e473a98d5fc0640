// One request and its answer: what the wall knows about it from the first byte to the log line.
import type { Response } from 'express';
import type { Caller } from './route-handler.ts';

/** Lives as long as the request. */
export interface Exchange {
  readonly id: string;
  /** ms of a clock that never runs backwards. */
  readonly startedAt: number;
  /** Method and pattern of the route; never the path itself, which may hold secrets. */
  route: string;
  caller: Caller | undefined;
  /** Fires when the client has gone or the daemon stops; made when it is first asked for. */
  readonly signal: () => AbortSignal;
}

export interface Locals extends Record<string, unknown> {
  exchange: Exchange;
}

export type ExchangeResponse = Response<unknown, Locals>;

/** Makes the signal of an exchange on demand: most handlers never wait for anything. */
export const lazySignal = (response: ExchangeResponse, stopping: AbortSignal): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  return () => {
    if (signal !== undefined) return signal;
    const controller = new AbortController();
    signal = controller.signal;
    const stop = () => controller.abort(stopping.reason);
    if (stopping.aborted) stop();
    stopping.addEventListener('abort', stop, { once: true });
    const onClose = () => {
      stopping.removeEventListener('abort', stop);
      controller.abort(new Error('the client has gone'));
    };
    if (response.destroyed) onClose();
    response.once('close', onClose);
    return signal;
  };
};
