// Removes a temporary instance whose daemon has stopped: its login, state and data.
import { rm } from 'node:fs/promises';
import type { CommandContext } from '../../context.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';
import { removeAccount } from '../login/stored-logins.ts';

/** The state goes last: it leads to the rest. */
export const removeInstance = async (context: CommandContext, { onlyLogin = false } = {}): Promise<void> => {
  await removeAccount(context);
  if (onlyLogin) return;
  await removeTree(context.paths.dataDir);
  await rm(context.paths.stateDir, { recursive: true, force: true });
};
