// What the dashboard shows of the running daemon, and where its files are.
import { statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/local/version.ts';
import type { AboutDaemon } from '../actors/dependencies.ts';
import type { Clock } from '../ports/clock.ts';

/** The built dashboard, beside the folder of the bundle of the daemon. */
export const DASHBOARD = fileURLToPath(new URL('../dashboard', import.meta.url));

export const aboutDaemon = (instance: string, dataDir: string, clock: Clock): AboutDaemon => ({
  version: VERSION,
  instance,
  startedAt: clock.now(),
  disk: async () => {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
});
