// The built command line, interrupted as Ctrl-C does it once it has said something.
import { spawn } from 'node:child_process';
import { type Ended, type Home, program } from './home.ts';

/** Runs it, sends SIGINT as soon as its output matches, and waits for its end. */
export const interrupt = ({ env }: Home, args: readonly string[], when: RegExp): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr, sent] = ['', '', false];
    const look = (): void => {
      if (sent || !when.test(stdout + stderr)) return;
      sent = true;
      child.kill('SIGINT');
    };
    child.stdout.on('data', (piece: Buffer) => {
      stdout += String(piece);
      look();
    });
    child.stderr.on('data', (piece: Buffer) => {
      stderr += String(piece);
      look();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
