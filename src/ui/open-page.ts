// Opens a page with the commands in BROWSER, one after the other, or with the desktop. The module is loaded with the
// first page.
import type { ChildProcess } from 'node:child_process';
import { commandsIn, sandboxOf, withProgram } from './browser-commands.ts';
import { childEnvironment, SECRET_VARIABLE } from './child-environment.ts';

export interface Page {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Milliseconds within which an exit with an error counts as a failed start. */
  readonly limitMs?: number;
}

const SECOND = 1000;

/**
 * Waits until a command has ended, or has run long enough to be a browser. Returns the reason of a failure, in a
 * few words.
 */
const failureOf = (child: ChildProcess, limitMs: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const settle = (failure?: string): void => {
      clearTimeout(timer);
      child.unref();
      resolve(failure);
    };
    const ended = (code: number | null, signal: NodeJS.Signals | null): void =>
      settle(code === 0 ? undefined : `ended with ${signal ?? code}`);
    // Waits for one more turn of the event loop: after a long turn, the timer fires before an earlier exit event.
    const timer = setTimeout(() => setImmediate(settle), limitMs);
    // The listener stays, so that a later error does not end this program.
    child.on('error', (error: NodeJS.ErrnoException) => settle(`cannot be started (${error.code})`));
    child.once('exit', ended);
    if (child.exitCode !== null || child.signalCode !== null) ended(child.exitCode, child.signalCode);
  });

/** Runs a command with the address in place of `%s`, else as its last argument. */
const run = (words: readonly string[], { url, env, limitMs = SECOND }: Page): Promise<string | undefined> => {
  const [file = '', ...args] = words.some((word) => word.includes('%s'))
    ? words.map((word) => word.replaceAll('%s', () => url))
    : [...words, url];
  const { spawn } = process.getBuiltinModule('node:child_process');
  return failureOf(spawn(file, args, { stdio: 'ignore', detached: true, env: childEnvironment(env) }), limitMs);
};

/**
 * Removes secrets from the environment while `open` starts its child, because the child inherits the whole
 * environment.
 */
const runDefault = async ({ url, limitMs = SECOND }: Page): Promise<string | undefined> => {
  const aside = Object.entries(process.env).filter(([name]) => SECRET_VARIABLE.test(name));
  for (const [name] of aside) delete process.env[name];
  try {
    const { default: open } = await import('open');
    return await failureOf(await open(url), limitMs);
  } finally {
    for (const [name, value] of aside) if (value !== undefined) process.env[name] = value;
  }
};

/**
 * Tries one command, or the command of the desktop. A sandboxed browser is not tried with a file: it would start and
 * show an error page. Returns the reason of a failure.
 */
const attempt = async (words: readonly string[] | undefined, page: Page): Promise<string | undefined> => {
  const { url, env, platform } = page;
  const name = words?.[0] ?? 'the browser of this desktop';
  try {
    const local = url.startsWith('file:') && platform !== 'darwin' && platform !== 'win32';
    const sandbox = local ? await sandboxOf(words ?? ['xdg-open'], childEnvironment(env)) : undefined;
    if (sandbox !== undefined) return `${name} is ${sandbox}, which cannot read a private file`;
    const failure = await (words === undefined ? runDefault(page) : run(words, page));
    return failure && `${name} ${failure}`;
  } catch {
    return `${name} cannot be started`;
  }
};

/** Opens a page. Returns undefined if a browser was started, else how each command failed, in a few words. */
export const openPage = async (page: Page): Promise<string | undefined> => {
  const { env, platform } = page;
  const named = commandsIn(env['ACTORCTL_BROWSER'] || env['BROWSER'] || '', platform);
  const failures: string[] = [];
  for (const words of named.length > 0 ? named : [undefined]) {
    const failure = await attempt(words && withProgram(words, env), page);
    if (failure === undefined) return undefined;
    failures.push(failure);
  }
  return failures.join('; ');
};
