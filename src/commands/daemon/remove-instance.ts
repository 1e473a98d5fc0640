// Removes a temporary instance whose daemon has stopped: its login, state and data.
import { rm } from 'node:fs/promises';
import type { CommandContext } from '../../context.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';
import { temporaryName } from '../../local/paths.ts';
import { removeAccount } from '../login/stored-logins.ts';

/** The state goes last: it leads to the rest. */
export const removeInstance = async (context: CommandContext, { onlyLogin = false } = {}): Promise<void> => {
  await removeAccount(context);
  if (onlyLogin) return;
  await removeTree(context.paths.dataDir);
  await rm(context.paths.stateDir, { recursive: true, force: true });
};

/** Removes what an ephemeral daemon leaves that has stopped and deleted its data: its logins, or its temporary home. */
export const removeEphemeral = async (context: CommandContext): Promise<void> => {
  const home = context.user.env['ACTORCTL_HOME'];
  // The daemon has removed its temporary home. A change of the login would make it again.
  if (home !== undefined && temporaryName(home) !== undefined) await removeTree(home);
  else await removeAccount(await context.ownDaemon());
};
