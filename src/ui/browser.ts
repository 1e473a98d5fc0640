// Opens a page in the person's browser, where there is one; whatever goes wrong there is no trouble of ours. @see cli.md C1, R1
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface BrowserInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Opens pages. */
export interface Browser {
  /** Why none is opened: a few words, to stand behind "no browser is opened: ". Undefined when one can be. */
  readonly absence: () => string | undefined;
  /** Tries to open a page; whether something was started. Never throws and never waits for the browser to end. */
  readonly open: (url: string) => Promise<boolean>;
  /** The line to type on one's own machine, so that its browser reaches these ports of this one; undefined when not over SSH. */
  readonly tunnel: (ports: readonly number[]) => string | undefined;
}

/** What no child of ours needs to know. @see auth.md R144 */
export const SECRET_VARIABLE = /^ACTORCTL_(TOKEN|CLIENT_SECRET|ADMIN_PASSWORD)$/;

/** The command that somebody named; a list with colons is a list of choices, of which the first is taken. */
const named = (env: BrowserInput['env']): string | undefined => {
  if (env['ACTORCTL_BROWSER']) return env['ACTORCTL_BROWSER'];
  return env['BROWSER']?.split(/:(?!\/\/|\\)/)[0] || undefined;
};

const absenceOf = ({ env, platform }: BrowserInput): string | undefined => {
  const command = named(env);
  if (command !== undefined) return /^(none|false|0)$/i.test(command) ? 'it is switched off' : undefined;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return 'this is a session over SSH';
  if (env['CODESPACES'] || env['REMOTE_CONTAINERS'] || existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return 'this is a container';
  const drawn = env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'];
  if (platform !== 'darwin' && platform !== 'win32' && !drawn) return 'there is no display';
  return undefined;
};

/** Runs the command that was named, with the address for `%s` or behind its other words. */
const runNamed = (command: string, url: string, env: BrowserInput['env']): Promise<boolean> => {
  const words = command.split(/\s+/).filter((word) => word !== '');
  const [file = '', ...args] = words.some((word) => word.includes('%s'))
    ? words.map((word) => word.replaceAll('%s', url))
    : [...words, url];
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

/** `open` hands its child the whole environment of this process, so what is secret is put aside meanwhile. */
const withoutSecrets = async <T>(work: () => Promise<T>): Promise<T> => {
  const aside = Object.entries(process.env).filter(([name]) => SECRET_VARIABLE.test(name));
  for (const [name] of aside) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of aside) if (value !== undefined) process.env[name] = value;
  }
};

/** Makes it. Loads `open` with the first page. */
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
          // One that fails later must not end this program.
          child.on('error', () => undefined);
        });
        return true;
      } catch {
        // The address stands on the terminal: that is the way then.
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
