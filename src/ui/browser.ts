// Opens a page in the user's browser if there is one. A failure to open it is not an error. @see docs/cli.md 6.2

import { existsSync } from 'node:fs';

export interface BrowserInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export interface Browser {
  /** Why no browser can be opened, in a few words after "no browser is opened: ". Undefined if one can be opened. */
  readonly absence: () => string | undefined;
  /**
   * Tries to open a page and returns whether a program was started. Never throws and does not wait for the browser to
   * end.
   */
  readonly open: (url: string) => Promise<boolean>;
  /**
   * Over SSH: the ssh command to run on the user's machine, so that its browser reaches these ports. Otherwise
   * undefined.
   */
  readonly tunnel: (ports: readonly number[]) => string | undefined;
}

/** Variables with secrets, which child processes must not inherit. @see docs/security.md R144 */
export const SECRET_VARIABLE = /^ACTORCTL_(TOKEN|NONCE|CLIENT_SECRET|ADMIN_PASSWORD)$/;

/** The browser command from the environment. Of a list separated by colons the first command is used. */
const named = (env: BrowserInput['env']): string | undefined => {
  if (env['ACTORCTL_BROWSER']) return env['ACTORCTL_BROWSER'];
  return env['BROWSER']?.split(/:(?!\/\/|\\)/)[0] || undefined;
};

const absenceOf = ({ env, platform }: BrowserInput): string | undefined => {
  const command = named(env);
  if (command !== undefined) return /^(none|false|0)$/i.test(command) ? 'it is switched off' : undefined;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return 'this is an SSH session';
  if (env['CODESPACES'] || env['REMOTE_CONTAINERS'] || existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return 'this is a container';
  const drawn = env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'];
  if (platform !== 'darwin' && platform !== 'win32' && !drawn) return 'there is no display';
  return undefined;
};

/** Runs the browser command with the address in place of `%s`, else as its last argument. */
const runNamed = (command: string, url: string, env: BrowserInput['env']): Promise<boolean> => {
  const words = command.split(/\s+/).filter((word) => word !== '');
  const [file = '', ...args] = words.some((word) => word.includes('%s'))
    ? words.map((word) => word.replaceAll('%s', url))
    : [...words, url];
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      stdio: 'ignore',
      detached: true,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name))),
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
};

/**
 * Removes secrets from the environment while `open` starts its child, because the child inherits the whole environment.
 */
const withoutSecrets = async <T>(work: () => Promise<T>): Promise<T> => {
  const aside = Object.entries(process.env).filter(([name]) => SECRET_VARIABLE.test(name));
  for (const [name] of aside) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of aside) if (value !== undefined) process.env[name] = value;
  }
};

/** Creates the access to the browser. Loads `open` with the first page. */
export const createBrowser = (input: BrowserInput): Browser => {
  const { env } = input;
  return {
    absence: () => absenceOf(input),
    open: async (url) => {
      if (absenceOf(input) !== undefined) return false;
      const command = named(env);
      if (command !== undefined) return runNamed(command, url, env);
      try {
        await withoutSecrets(async () => {
          const { default: open } = await import('open');
          const child = await open(url);
          // A browser that fails after its start must not end this program.
          child.on('error', () => undefined);
        });
        return true;
      } catch {
        // The terminal shows the address, so the user can open it by hand.
        return false;
      }
    },
    tunnel: (ports) => {
      const [, , server] = env['SSH_CONNECTION']?.split(' ') ?? [];
      if (server === undefined) return undefined;
      const user = env['USER'] ? `${env['USER']}@` : '';
      return `ssh ${ports.map((port) => `-L ${port}:127.0.0.1:${port}`).join(' ')} ${user}${server}`;
    },
  };
};
