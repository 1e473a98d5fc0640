// The data folder for the snapshot commands, which work with or without a running daemon.
import type { CommandContext } from '../../context.ts';

/** The data folder of the running daemon, or else of the last daemon of this instance. */
export const dataFolder = async ({ local, paths }: Pick<CommandContext, 'local' | 'paths'>): Promise<string> => {
  const found = await (await local()).locate();
  const status = 'status' in found ? found.status : undefined;
  return status?.dataDir ?? (await (await local()).lastLaunch())?.dataDir ?? paths.dataDir;
};
