// Asks the bare server of runs, with the same requests as an execution of the daemon.
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import { send } from '../daemon.ts';
import { startBare } from './bare-process.ts';

/** A container in this network, a NetworkMode value. */
export interface ContainerOrder {
  readonly image: string;
  readonly network: string;
}

/** What the server runs: a command or a container. */
export type Order = { readonly command: readonly [string, ...string[]] } | ContainerOrder;

export interface BareRuns {
  /** Resolves when the final record and the log of a new run have been read. */
  execute(order: Order): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server in a process of its own. */
export const startBareRuns = async (): Promise<BareRuns> => {
  const bare = await startBare(fileURLToPath(new URL('./bare-runs.ts', import.meta.url)));
  const agent = new http.Agent({ keepAlive: true });
  const ask = async (method: string, where: string, body?: object): Promise<{ readonly id: string }> => {
    const target = { hostname: '127.0.0.1', port: bare.port, agent, method, path: `/${where}` };
    const { status, text } = await send(target, body && JSON.stringify(body), {});
    if (status !== 200) throw new Error(`the bare server answered ${status}: ${text}`);
    return JSON.parse(text) as { id: string };
  };
  return {
    async execute(order) {
      const { id } = await ask('POST', '', order);
      await ask('GET', id);
      await Promise.all([ask('GET', id), ask('GET', id)]);
    },
    async stop() {
      agent.destroy();
      await bare.stop();
    },
  };
};
