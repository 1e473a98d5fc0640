// Runs the built command line on a pseudo-terminal, and types an answer at each question.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { failOnWarning } from '../preloads/preloads.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));

export interface Typed {
  readonly code: number | null;
  /** All text that was on the terminal. */
  readonly text: string;
}

/**
 * Runs `actorctl ARGS` (a shell line) on a terminal.
 * @param replies question → the text to type when it appears, in order. Each question is searched after the previous
 * one. An answer may depend on the text on the terminal.
 * @param columns the width of the terminal; without it the terminal has none, so no spinner is shown
 */
export const onTerminal = (
  args: string,
  env: NodeJS.ProcessEnv,
  replies: readonly (readonly [question: string, answer: string | ((text: string) => Promise<string>)])[] = [],
  columns?: number,
): Promise<Typed> =>
  new Promise((resolve, reject) => {
    const command = [process.execPath, ...failOnWarning, program].map((part) => `"${part}"`).join(' ');
    const width = columns === undefined ? '' : `stty cols ${columns}; `;
    // Without exec a dash between them would end with 130 after a Ctrl-C that the program has handled.
    const child = spawn('script', ['-qefc', `${width}exec ${command} ${args}`, '/dev/null'], {
      env: { ...env, TERM: 'xterm', CI: '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const left = [...replies];
    let text = '';
    let seen = 0;
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (piece: string) => {
      text += piece;
      const [next] = left;
      const at = next ? text.indexOf(next[0], seen) : -1;
      if (!next || at === -1) return;
      left.shift();
      seen = at + next[0].length;
      const answer = Promise.resolve(typeof next[1] === 'string' ? next[1] : next[1](text));
      // The program draws the question before it reads its keys.
      setTimeout(() => answer.then((typed) => child.stdin.write(`${typed}\r`), reject), 150);
    });
    // The program may end before it has read a typed answer. Its exit code and its text show the outcome.
    child.stdin.on('error', () => child.stdin.destroy());
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text }));
  });
