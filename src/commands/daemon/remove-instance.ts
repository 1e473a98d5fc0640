// Removes a temporary instance whose daemon has stopped: its login, state and data.
import { rm } from 'node:fs/promises';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';

/** If the keychain refuses, the login stays, but its tokens are useless without the data. */
const removeLogin = async ({ credentials, settings, output }: CommandContext): Promise<void> => {
  try {
    await credentials.remove(settings.account);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_FAILED') throw error;
    output.warn(error.message);
  }
};

/** The state goes last: it leads to the rest. */
export const removeInstance = async (context: CommandContext, { onlyLogin = false } = {}): Promise<void> => {
  await removeLogin(context);
  if (onlyLogin) return;
  await removeTree(context.paths.dataDir);
  await rm(context.paths.stateDir, { recursive: true, force: true });
};
