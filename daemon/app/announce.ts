// Writes the files that tell the command line where the daemon listens and how it was started.
import { replaceFile } from '../../src/local/atomic-file.ts';
import type { Launch } from '../../src/local/daemon/launch.ts';
import type { Paths } from '../../src/local/paths.ts';
import type { DaemonConfig } from '../config.ts';
import { forgetLeftBehind } from './left-behind.ts';

/** How this daemon was started. `port` is the port on which it listens. */
export const launchOf = (
  { port: requested, bind, insecureBind, dataDir, dockerHost, ephemeral }: DaemonConfig,
  port: number,
): Launch => ({
  port,
  anyPort: requested === 0,
  bind,
  insecureBind,
  dataDir,
  ...(dockerHost !== undefined && { dockerHost }),
  ephemeral,
});

const write = (file: string, value: unknown): Promise<unknown> =>
  replaceFile(file, (append) => append(`${JSON.stringify(value)}\n`));

/**
 * Writes `daemon.json` and `launch.json`, and removes `left.json` because the left executions are recovered. An ephemeral daemon leaves `launch.json` unchanged, because no later start
 * continues it.
 */
export const announce = async (paths: Paths, described: unknown, launch: Launch): Promise<void> => {
  if (!launch.ephemeral) await write(paths.launchFile, launch);
  await forgetLeftBehind(paths.leftFile, launch.dataDir);
  await write(paths.daemonFile, described);
};
