// An actor of a folder that runs until it is halted, in a home.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scriptImage, until } from './daemon.ts';
import type { Home } from './home.ts';

export interface Running {
  readonly actor: string;
  readonly execution: string;
  /** Process id of the actor. */
  readonly pid: number;
}

/** Starts an execution that runs until it is halted. */
export const startEndless = async (home: Home): Promise<Running> => {
  const file = path.join(home.folder, 'pid');
  const image = scriptImage(home, `echo $$ > ${file}.new && mv ${file}.new ${file}; exec sleep 600`);
  await home.up();
  const { id: actor } = await home.json<{ id: string }>('actors', 'create', image, '--name', 'endless', '--stateful');
  const execution = await send(home, actor);
  let pid = 0;
  await until(() => {
    try {
      pid = Number(readFileSync(file, 'utf8'));
    } catch {
      // The actor has not started yet.
    }
    return pid > 0;
  });
  await until(async () => (await statusOf(home, execution)) === 'RUNNING');
  return { actor, execution, pid };
};

/** Sends a message and returns the id of its execution. */
export const send = async (home: Home, actor: string): Promise<string> =>
  (await home.cli(['send', actor, '-m', 'x', '--quiet'])).stdout.trim();

export const statusOf = async (home: Home, execution: string): Promise<unknown> =>
  (await home.json('executions', 'show', execution))['status'];
