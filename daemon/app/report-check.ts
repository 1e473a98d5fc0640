// Checks the records of a data folder and prints the outcome as JSON, for `actorctl doctor`.
import type { DaemonConfig } from '../config.ts';
import { checkStore } from '../store/check-store.ts';
import { StoreTooNew } from '../store/store-errors.ts';

/** Prints the result of the check. `src/local/daemon/check-data.ts` reads it. */
export const reportCheck = async ({ dataDir }: Pick<DaemonConfig, 'dataDir'>): Promise<void> => {
  let outcome: unknown;
  try {
    const found = await checkStore(dataDir);
    outcome = { ok: true, ...(found && { found }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    outcome = { ok: false, message, tooNew: error instanceof StoreTooNew };
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
};
