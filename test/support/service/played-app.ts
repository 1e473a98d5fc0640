// An app whose server binds nothing.
import { EventEmitter } from 'node:events';
import type { App } from '../../../daemon/http/app.ts';

export interface PlayedApp extends App {
  /** The calls of its members, in order. */
  readonly calls: readonly string[];
}

/** The server refuses some ports with the code of an error. Port 0 becomes 50000. */
export const playedApp = (refused: Readonly<Record<number, string>> = {}): PlayedApp => {
  const calls: string[] = [];
  const server = Object.assign(new EventEmitter(), {
    bound: 0,
    address: () => ({ port: server.bound }),
    listen: (port: number, _address: string, done: () => void) => {
      const code = refused[port];
      server.bound = port || 50_000;
      setImmediate(() => (code ? server.emit('error', Object.assign(new Error(code), { code })) : done()));
    },
  });
  const called = (name: string) => async () => void calls.push(name);
  const app = { server, drain: called('drain'), close: called('close'), renew: () => void calls.push('renew'), calls };
  return app as unknown as PlayedApp;
};
