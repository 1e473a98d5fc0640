// The signal of a request, and the prototypes of requests and responses.
import { EventEmitter, getEventListeners } from 'node:events';
import { Socket } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { lazySignal } from '../../../daemon/http/exchange.ts';
import { presetExpressPrototypes } from '../../../daemon/http/express-prototypes.ts';

describe('the signal of a request', () => {
  const make = (stopping = new AbortController(), isDestroyed = false) => {
    const socket = Object.assign(new EventEmitter(), { readableEnded: false });
    const req = { httpVersionMajor: 1, httpVersionMinor: 1 };
    const response = Object.assign(new EventEmitter(), { socket, req, destroyed: isDestroyed });
    return { response, socket, stopping, signalOf: lazySignal(response as never, stopping.signal) };
  };
  const listeners = ({ stopping }: ReturnType<typeof make>) => getEventListeners(stopping.signal, 'abort').length;

  it('is created at the first call, and only once', () => {
    const made = make();
    expect([listeners(made), made.response.eventNames()]).toEqual([0, []]);
    const signal = made.signalOf();
    expect(made.signalOf()).toBe(signal);
    expect([listeners(made), signal.aborted]).toEqual([1, false]);
    expect(made.socket.eventNames()).toEqual(['end']);
  });

  it('fires when the client disconnects, and leaves no listener', () => {
    const made = make();
    const signal = made.signalOf();
    made.response.emit('close');
    expect(signal.reason).toMatchObject({ message: 'the client has disconnected' });
    expect([listeners(made), made.response.eventNames(), made.socket.eventNames()]).toEqual([0, [], []]);
    const gone = make(undefined, true);
    expect(gone.signalOf().reason).toMatchObject({ message: 'the client has disconnected' });
    expect(listeners(gone)).toBe(0);
  });

  it('fires when the daemon stops, with its reason', () => {
    const reason = new Error('stopping');
    const made = make();
    const signal = made.signalOf();
    made.stopping.abort(reason);
    expect(signal.reason).toBe(reason);
    expect(make(made.stopping).signalOf().reason).toBe(reason);
  });
});

describe('requests and responses', () => {
  it('are created with the prototypes of Express, which need not be set again', () => {
    const app = express();
    const { request, response } = app;
    const { IncomingMessage, ServerResponse } = presetExpressPrototypes(app);
    const made = new IncomingMessage(new Socket());
    expect(Object.getPrototypeOf(made)).toBe(app.request);
    expect(Object.getPrototypeOf(app.request)).toBe(request);
    const answer = new ServerResponse(made);
    expect(Object.getPrototypeOf(answer)).toBe(app.response);
    expect(Object.getPrototypeOf(app.response)).toBe(response);
  });
});
