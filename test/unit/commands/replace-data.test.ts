// A restore or a reset says that data were replaced only if they were.
import { expect, it } from 'vitest';
import { replaceData } from '../../../src/commands/data/replace-data.ts';
import type { CommandContext } from '../../../src/context.ts';
import { CliFailure } from '../../../src/failure.ts';
import type { Started } from '../../../src/local/daemon/instance-daemon.ts';
import type { ManageStatus } from '../../../src/local/daemon/manage.ts';

const status = { pid: 42, bootstrapped: false } as ManageStatus;
const joined: Started = { status, dropped: [] };
const own = { ...joined, ready: { ready: true } } as Started;
const failed = new CliFailure('DAEMON_UNHEALTHY', 'it is still starting');

/** Replaces the data with starts that have these outcomes, one after another. */
const replaced = (present: ManageStatus | undefined, ...outcomes: readonly (Started | Error)[]) => {
  const left = [...outcomes];
  const context = {
    local: async () => ({
      locate: async () => ({ state: 'stopped' }),
      lastLaunch: async () => undefined,
      start: async () => {
        const next = left.shift();
        if (next === undefined || next instanceof Error) throw next;
        return next;
      },
    }),
    output: { progress: async () => ({ advance: () => undefined, stop: () => undefined }) },
  } as unknown as CommandContext;
  return replaceData(context, { status: present, running: 0 }, { reset: true }, false);
};

it('replacing data fails if another command has started the daemon meanwhile', async () => {
  await expect(replaced(undefined, joined)).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: 'another command has started the daemon (process 42); no data were replaced',
  });
});

const before = new CliFailure('VALIDATION', 'the start failed', { details: { data_replaced: false } });
const after = new CliFailure('PORT_IN_USE', 'the start failed', { details: { data_replaced: true } });

it.each([
  ['Nothing was changed, and the daemon runs again', before, own],
  ['The daemon runs again and has the new data', after, own],
  ['The daemon runs again and may have the new data', failed, own],
  ['The daemon is running now, and may have the new data', before, joined],
  ['The daemon could not be started again', before, failed],
  ['The daemon could not be started again and has the new data', after, failed],
])('replacing data reports after a failed start: %s', async (now, error, again) => {
  await expect(replaced(status, error, again)).rejects.toThrow(`${error.message}. ${now}`);
});

it('replacing data does not touch an interrupted start', async () => {
  const interrupted = new CliFailure('CANCELLED', 'interrupted');
  await expect(replaced(status, interrupted, own)).rejects.toThrow(/^interrupted$/);
});
