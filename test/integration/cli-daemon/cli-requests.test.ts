// How often a command asks the daemon: each connection costs milliseconds that a person waits.
import { renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

/** Moves a socket, and passes its connections on from the old place. Returns how many there were. */
const counted = async (socket: string): Promise<() => number> => {
  let connections = 0;
  const moved = `${socket}.moved`;
  renameSync(socket, moved);
  const relay = createServer((client) => {
    connections += 1;
    const daemon = connect(moved);
    client.on('error', () => daemon.destroy());
    daemon.on('error', () => client.destroy());
    client.pipe(daemon).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(socket, resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => relay.close(resolve));
    renameSync(moved, socket);
  });
  return () => connections;
};

describe('a command with a login', () => {
  it.each([
    ['the clock of this machine', []],
    ['a virtual clock', ['--virtual-clock', '2030-01-01']],
  ])('asks a daemon with %s once for its address and its time', async (_clock, flags) => {
    const home = inProcessHome(NO_ENGINE);
    onTestFinished(() => home.remove());
    await home.up(...flags);
    const connections = await counted(join(home.folder, 'run', 'default.sock'));
    const completion = ['__complete', 'zsh', ':', 'actors', 'show'];
    for (const [at, args] of [['whoami'], ['actors', 'list'], ['events', 'list'], completion].entries()) {
      expect((await home.cli(args)).code).toBe(0);
      expect(connections()).toBe(at + 1);
    }
  });
});
