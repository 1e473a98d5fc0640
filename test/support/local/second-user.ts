// A second user of this machine, who attacks the first one: needs root, which adds the user and removes it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Requirement, requirement } from '../runner/requirements.ts';

const whyNot = (): string => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'adding a second user takes Linux and root';
  try {
    execFileSync('useradd', ['--help'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'there is no useradd; install the package passwd';
  }
};

let reason: string | undefined;

/** Whether a test may add a user. */
export const users = (): Requirement => {
  reason ??= whyNot();
  return requirement('users', reason === '', reason);
};

/** What a program of the second user reports. */
interface Listening {
  /** The bytes that were received so far. */
  readonly received: () => string;
  /** Number of connections so far. */
  readonly connections: () => number;
}

export interface SecondUser {
  readonly uid: number;
  /** The ids for `spawn`. */
  readonly ids: { readonly uid: number; readonly gid: number };
  /** Creates a folder (0755) with a socket (0777), and responds with HTTP 200 to everything that it receives there. */
  readonly listen: (socket: string) => Promise<Listening>;
  readonly remove: () => Promise<void>;
}

const LISTENER = `
const [socket] = process.argv.slice(1);
process.umask(0);
require('node:fs').mkdirSync(require('node:path').dirname(socket), { recursive: true, mode: 0o755 });
require('node:net').createServer((connection) => {
  process.stdout.write('connection\\n');
  connection.on('error', () => undefined);
  connection.on('data', (bytes) => {
    process.stdout.write('got ' + bytes.toString('base64') + '\\n');
    connection.write('HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: 2\\r\\n\\r\\n{}');
  });
}).listen(socket, () => process.stdout.write('listening\\n'));
`;

/** Adds a user with this name. */
export const addUser = (name: string): SecondUser => {
  execFileSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', name], { stdio: 'pipe' });
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  const ids = { uid: idOf('-u'), gid: idOf('-g') };
  const children: ChildProcess[] = [];
  return {
    uid: ids.uid,
    ids,
    listen: async (socket) => {
      const child = spawn(process.execPath, ['-e', LISTENER, socket], {
        ...ids,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      let text = '';
      let errors = '';
      child.stderr.on('data', (piece) => {
        errors += String(piece);
      });
      await new Promise<void>((resolve, reject) => {
        child.once('exit', () => reject(new Error(`the second user cannot listen: ${errors}`)));
        child.stdout.on('data', (piece) => {
          text += String(piece);
          if (text.includes('listening\n')) resolve();
        });
      });
      return {
        connections: () => text.split('connection\n').length - 1,
        received: () =>
          [...text.matchAll(/^got (.*)$/gm)].map(([, bytes = '']) => Buffer.from(bytes, 'base64').toString()).join(''),
      };
    },
    remove: async () => {
      for (const child of children) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL');
          await once(child, 'exit');
        }
      }
      execFileSync('userdel', [name], { stdio: 'pipe' });
    },
  };
};
