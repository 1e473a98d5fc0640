// Finds a snapshot of the instance by its name.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { snapshotFile, snapshotNames } from '../../local/archive/snapshots.ts';
import { orDidYouMean } from '../framework/did-you-mean.ts';
import { dataFolder } from './data-folder.ts';

export const existingSnapshot = async (
  context: Pick<CommandContext, 'local' | 'paths'>,
  name: string,
): Promise<string> => {
  const folder = await dataFolder(context);
  const file = snapshotFile(folder, name);
  const names = await snapshotNames(folder);
  if (names.includes(name)) return file;
  const missing = new CliFailure('NOT_FOUND', `no snapshot named "${name}"`, { hint: 'actorctl snapshot list' });
  return orDidYouMean(Promise.reject(missing), name, () => Promise.resolve(names));
};
