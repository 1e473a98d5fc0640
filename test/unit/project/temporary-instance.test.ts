// The end of a temporary instance: what is removed, even if its daemon cannot be stopped.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTemporaryInstance } from '../../../src/commands/temporary/temporary-instance.ts';
import type { CommandContext } from '../../../src/context.ts';

/** A context whose daemon does not start, and whose stop ends as `locate` says. */
const contextWith = (locate: () => Promise<unknown>) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stateDir = path.join(folder, 'state', 'dev-1');
  const dataDir = path.join(folder, 'data', 'dev-1');
  const paths = { stateDir, dataDir, starterFile: path.join(stateDir, 'starter.json') };
  const removed: string[] = [];
  const lasting = {
    settings: { account: 'dev@local', instance: 'dev-1' },
    paths,
    credentials: { remove: async (account: string) => void removed.push(account) },
    local: async () => ({
      locate,
      leftBehind: async () => undefined,
      haltLeft: async () => undefined,
      start: async (flags: { readonly dataDir: string }) => {
        mkdirSync(flags.dataDir, { recursive: true });
        throw new Error('it does not start');
      },
    }),
  };
  const outer = { paths, beside: async () => lasting } as unknown as CommandContext;
  return { outer, removed, stateDir, dataDir };
};

it('a temporary instance that did not start leaves no files', async () => {
  const { outer, removed, stateDir, dataDir } = contextWith(async () => ({ state: 'stopped' }));
  await expect(startTemporaryInstance(outer)).rejects.toThrow('it does not start');
  expect([removed, existsSync(stateDir), existsSync(dataDir)]).toEqual([['dev@local'], false, false]);
});

it('a temporary instance that cannot be stopped keeps the files to find its daemon, and loses its login', async () => {
  const { outer, removed, stateDir, dataDir } = contextWith(() => Promise.reject(new Error('it does not stop')));
  await expect(startTemporaryInstance(outer)).rejects.toThrow('it does not start');
  expect([removed, existsSync(stateDir), existsSync(dataDir)]).toEqual([['dev@local'], true, true]);
});
