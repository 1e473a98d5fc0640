// Runs a baseline in its own process: start it, send it requests, stop it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { plainEnvironment } from '../daemon.ts';

export interface Bare {
  /** The first message of the process. */
  readonly port: number;
  /** Sends a message to the process and resolves with its response. */
  ask(question: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** @param file a TypeScript file that sends a number when it is ready, and ends when its parent disconnects */
export const startBare = async (file: string, ...args: readonly string[]): Promise<Bare> => {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const failed = gone.then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  // The exit is an error only for a caller that waits for a response.
  failed.catch(() => undefined);
  const said = async (): Promise<unknown> => ((await Promise.race([once(child, 'message'), failed])) as unknown[])[0];
  return {
    port: Number(await said()),
    ask: (question) => {
      const answer = said();
      child.send(question);
      return answer;
    },
    stop: async () => {
      // A process that failed has left already, and the caller knows why.
      if (child.connected) child.disconnect();
      await gone;
    },
  };
};
