// A daemon that begins to listen only when a test says so.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Programs with this `env` do not listen before `go` is called. */
export interface Hold {
  readonly env: { readonly NODE_OPTIONS: string };
  go(): void;
}

/** @param folder the home of the test; it holds the files of the hold */
export const holdDaemons = (folder: string): Hold => {
  const [hold, go] = [path.join(folder, 'hold.cjs'), path.join(folder, 'go')];
  writeFileSync(
    hold,
    `const { existsSync } = require('node:fs');
    const { Server } = require('node:net');
    const { listen } = Server.prototype;
    Server.prototype.listen = function (...args) {
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(go)})) return;
        clearInterval(timer);
        listen.apply(this, args);
      }, 10);
      return this;
    };`,
  );
  return { env: { NODE_OPTIONS: `--require ${hold}` }, go: () => writeFileSync(go, '') };
};

/** The lock that a daemon holds while it starts. */
export const startingLock = (folder: string): string => path.join(folder, 'state', 'default', 'daemon-starting.lock');
