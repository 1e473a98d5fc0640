// A home with a project for `exec`, and what must remain of it: nothing.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { processesWith } from '../engine/process-harness.ts';
import { NO_ENGINE } from './daemon.ts';
import { createHome } from './home.ts';
import { startProcess } from './run-program.ts';
import { shellActor } from './shell-actor.ts';

/** A home of the built programs, and a folder in it with a project of the actor `sh`. */
export const execFixture = () => {
  const home = createHome(NO_ENGINE);
  const folder = path.join(home.folder, 'project');
  const temporary = path.join(home.folder, 'cache', 'temporary');
  mkdirSync(folder);
  shellActor(folder);
  writeFileSync(path.join(folder, 'actorctl.yaml'), 'project: one\nactors:\n  sh: { image: ./shell-actor }\n');
  const start = (args: readonly string[], { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}) =>
    startProcess(['exec', ...args], { env: { ...home.env, ...env }, cwd: folder, input });
  const homes = (): readonly string[] => (existsSync(temporary) ? readdirSync(temporary) : []);
  return {
    home,
    folder,
    /** Folder of the temporary homes. */
    temporary,
    start,
    /** Runs `exec` with a line of a shell. */
    shell: (script: string, ...flags: readonly string[]) => start([...flags, '--', 'sh', '-c', script]).ended,
    homes,
    /** Waits until nothing of a temporary instance remains: no folder, no process, no login. */
    nothingLeft: async (): Promise<void> => {
      await expect.poll(homes).toEqual([]);
      await expect.poll(() => processesWith(temporary, 'environ')).toEqual([]);
      expect(readdirSync(home.folder).toSorted()).toEqual(['cache', 'project']);
    },
  };
};

export type ExecFixture = ReturnType<typeof execFixture>;
