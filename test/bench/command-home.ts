// A home with a running daemon and one actor, in which commands are measured.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHome, type Home } from '../support/daemon/home.ts';

/** The built command line. */
export const PROGRAM = fileURLToPath(new URL('../../dist/actorctl.cjs', import.meta.url));

/** Runs `work` in a new home with the actor `echo`, and removes the home. */
export const inCommandHome = async <T>(work: (home: Home, baseUrl: string) => Promise<T>): Promise<T> => {
  const home = createHome({ NODE_OPTIONS: '' });
  try {
    const { baseUrl } = await home.up();
    writeFileSync(path.join(home.folder, 'actor.json'), JSON.stringify({ command: ['true'] }));
    await home.json('actors', 'create', `file://${home.folder}`, '--name', 'echo', '--wait', '20s');
    return await work(home, baseUrl);
  } finally {
    await home.remove();
  }
};
