// Opens a page in the user's browser if there is one. A failure to open it is not an error. @see docs/cli.md#login

import { existsSync } from 'node:fs';

export interface BrowserInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export type Browser = ReturnType<typeof createBrowser>;

const absenceOf = ({ env, platform }: BrowserInput): string | undefined => {
  const named = env['ACTORCTL_BROWSER'] || env['BROWSER'];
  if (named) return /^(none|false|0)$/i.test(named) ? 'it is switched off' : undefined;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return 'this is an SSH session';
  if (env['CODESPACES'] || env['REMOTE_CONTAINERS'] || existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return 'this is a container';
  const drawn = env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'];
  if (platform !== 'darwin' && platform !== 'win32' && !drawn) return 'there is no display';
  return undefined;
};

export const createBrowser = (input: BrowserInput) => {
  const { env } = input;
  return {
    /** Why no browser can be opened, in a few words after "no browser is opened: ". Undefined if one can be opened. */
    absence: (): string | undefined => absenceOf(input),
    /**
     * Opens a page. Returns undefined if a browser was started, else the reason, in the form of `absence`. Never
     * throws, and does not wait until the browser ends.
     */
    open: async (url: string): Promise<string | undefined> => {
      const absence = absenceOf(input);
      if (absence !== undefined) return absence;
      const { openPage } = await import('./open-page.ts');
      return openPage({ ...input, url });
    },
    /** Over SSH: the ssh command to run on the user's machine, so that its browser reaches these ports. */
    tunnel: (ports: readonly number[]): string | undefined => {
      const [, , server] = env['SSH_CONNECTION']?.split(' ') ?? [];
      if (server === undefined) return undefined;
      const user = env['USER'] ? `${env['USER']}@` : '';
      return `ssh ${ports.map((port) => `-L ${port}:127.0.0.1:${port}`).join(' ')} ${user}${server}`;
    },
  };
};
