// The data folder that the commands on snapshots mean, whether its daemon runs or not.
import type { CommandContext } from '../../context.ts';

/** The data folder of the running daemon, or else that of the last one of this instance. */
export const dataFolder = async ({ local, paths }: Pick<CommandContext, 'local' | 'paths'>): Promise<string> => {
  const found = await (await local()).locate();
  const status = 'status' in found ? found.status : undefined;
  return status?.dataDir ?? (await (await local()).lastLaunch())?.dataDir ?? paths.dataDir;
};
