// Benchmark: actors that run as plain processes, from message to final record, compared with spawning the same command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { plainEnvironment, startDaemon, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome, timed } from './figures.ts';

const ROUNDS = 30;

const COMMAND = ['sh', '-c', 'echo got it'] as const;

const bareSpawn = async ([file, ...args]: readonly [string, ...string[]], cwd: string): Promise<void> => {
  const child = spawn(file, args, { cwd, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
};

/** Time from the POST of a message until its final record and its log have been read. */
export const folderActors = async (): Promise<Outcome> => {
  const home = temporaryHome();
  const daemon = await startDaemon();
  try {
    await writeFile(path.join(home.folder, 'actor.json'), JSON.stringify({ command: COMMAND }));
    const { id: actorId = '' } = await daemon.call('POST', '/actors/v2', { image: `file://${home.folder}` });
    await daemon.until(actorId, 'READY');
    const of = await inTurn(
      {
        ours: () => timed(() => daemon.execute(actorId)),
        baseline: () => timed(() => bareSpawn(COMMAND, home.folder)),
      },
      ROUNDS,
      3,
    );
    const what = 'message → COMPLETE, file: actor of one line of sh';
    return [{ what, unit: 'ms', ...of, against: 'bare spawn', goal: { of: 'ratio', atMost: 1.8 } }];
  } finally {
    await daemon.stop();
    home.remove();
  }
};
