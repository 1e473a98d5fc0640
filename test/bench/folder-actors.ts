// Benchmark: actors that run as plain processes, from message to final record, compared with spawning the same command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { plainEnvironment, startDaemon, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome, type Row, timed } from './figures.ts';
import { startBareRuns } from './floors/bare-runs-client.ts';

const ROUNDS = 30;

const COMMANDS = {
  'node, one line': { command: ['node', '-e', 'console.log("got it")'], atMost: 1.1 },
  'sh, one line': { command: ['sh', '-c', 'echo got it'], atMost: 1.8 },
} as const;

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
  const bare = await startBareRuns();
  const daemon = await startDaemon();
  const rows: Row[] = [];
  try {
    for (const [name, { command, atMost }] of Object.entries(COMMANDS)) {
      const folder = path.join(home.folder, command[0]);
      await mkdir(folder);
      await writeFile(path.join(folder, 'actor.json'), JSON.stringify({ command }));
      const { id: actorId = '' } = await daemon.call('POST', '/actors/v2', { image: `file://${folder}` });
      await daemon.until(actorId, 'READY');
      const of = await inTurn(
        {
          ours: () => timed(() => daemon.execute(actorId)),
          floor: () => timed(() => bareSpawn(command, folder)),
          durable: () => timed(() => bare.execute({ command })),
        },
        ROUNDS,
        3,
      );
      const row = { what: `file: actor (${name})`, unit: 'ms', ours: of.ours } as const;
      rows.push(
        { ...row, against: 'bare spawn', floor: of.floor, goal: { of: 'ratio', atMost } },
        { ...row, against: 'bare node:http with a journal and spawn', floor: of.durable },
      );
    }
    return rows;
  } finally {
    await daemon.stop();
    await bare.stop();
    home.remove();
  }
};
