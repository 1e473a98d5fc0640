// Shows a long text in the pager of the user.
import { spawn } from 'node:child_process';
import { childEnvironment } from './child-environment.ts';

export interface PagerInput {
  readonly takeSignals: (take: (name: NodeJS.Signals) => void) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** `ACTORCTL_PAGER` overrides `PAGER`. Empty or `cat`: no pager. */
const commandOf = ({ env }: PagerInput): string | undefined => {
  const command = env['ACTORCTL_PAGER'] ?? env['PAGER'] ?? 'less';
  return command === '' || command === 'cat' ? undefined : command;
};

/**
 * Writes the text to the pager, and returns when the user has left it. Returns false if there is none: the text is not
 * shown then.
 */
export const showInPager = async (text: string, input: PagerInput): Promise<boolean> => {
  const command = commandOf(input);
  if (command === undefined || input.platform === 'win32') return false;
  // F: no pager for a text that fits on the screen. R: colours. X: the text stays on the screen.
  const env = { LESS: 'FRX', LV: '-c', ...childEnvironment(input.env) };
  // The shell splits the command into words, as git does. Its exit code 127: there is no such program.
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 1, 2], env });
  // Ctrl-C in a pager stops a search. The terminal sends it to the pager too.
  input.takeSignals((signal) => signal === 'SIGINT' || child.kill(signal));
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  // The user may leave before the end of the text.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text);
  return (await code) !== 127;
};
