// Benchmark: start time of the command line, compared with node doing nothing. Two rows show what a request costs by
// itself: a script with one request by node:http, and one with a raw socket.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inCommandHome, PROGRAM } from './command-home.ts';
import { inTurn, type Outcome } from './figures.ts';

const ROUNDS = 25;

/** The commands, and the most that each may take as a multiple of `node -e 0`. */
const commands: Readonly<Record<string, readonly [atMost: number, ...args: string[]]>> = {
  'actorctl --version': [1.25, '--version'],
  'actorctl completion bash': [1.25, 'completion', 'bash'],
  'actorctl actors create --help': [1.6, 'actors', 'create', '--help'],
  'actorctl whoami': [1.6, 'whoami'],
  'actorctl actors list': [2, 'actors', 'list'],
  'actorctl send': [2, 'send', 'echo', '-m', 'hello'],
  'completion of an actor': [2.2, '__complete', 'zsh', ':', 'actors', 'show'],
};

/** Wall time of the whole process. A daemon runs. */
export const commandLine = (): Promise<Outcome> =>
  inCommandHome(async (home, baseUrl) => {
    const { hostname, port } = new URL(baseUrl);
    const run = (...args: string[]) => {
      const begun = performance.now();
      const { status } = spawnSync(process.execPath, args, { env: home.env, stdio: 'ignore' });
      const ms = performance.now() - begun;
      if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
      return Promise.resolve(ms);
    };
    const script = (name: string, text: string): string => {
      const file = path.join(home.folder, name);
      writeFileSync(file, text);
      return file;
    };
    const get = script(
      'get.cjs',
      `require('node:http').get('${baseUrl}/healthz', (answer) => answer.on('end', () => process.exit()).resume());`,
    );
    const socket = script(
      'socket.cjs',
      `const socket = require('node:net').connect(${port}, '${hostname}', () =>
         socket.write('GET /healthz HTTP/1.0\\r\\nhost: ${hostname}:${port}\\r\\n\\r\\n'));
       socket.on('end', () => process.exit()).resume();`,
    );
    const sides = Object.entries(commands).map(([name, [, ...args]]) => [name, () => run(PROGRAM, ...args)] as const);
    const of = await inTurn<string>(
      {
        'one GET by node:http': () => run(get),
        'one GET by a raw socket': () => run(socket),
        ...Object.fromEntries(sides),
        node: () => run('-e', '0'),
      },
      ROUNDS,
      2,
    );
    const { node, ...measured } = of;
    return Object.entries(measured).flatMap(([what, ours]) => {
      const [atMost] = commands[what] ?? [];
      const row = { what, unit: 'ms', ours, against: 'node -e 0', ...(node && { floor: node }) };
      return [{ ...row, ...(atMost !== undefined && { goal: { of: 'ratio', atMost } as const }) }];
    });
  });
