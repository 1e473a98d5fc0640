// The world of the matrix of commands: one daemon, and a home for each situation.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receiver, startReceiver } from '../crash/receiver.ts';
import { ADMIN, type Ended, type Home, inProcessHome } from '../daemon/home.ts';
import { startProcess } from '../daemon/run-program.ts';
import { ANA_PASSWORD, type Fixture, filesIn, things, type Workshop } from './fixtures.ts';
import type { Invocation, Line } from './row.ts';

/** `up`: the daemon runs and the person is logged in. `down`: logged in, no daemon. `loggedOut`: only the daemon. */
export type Situation = 'up' | 'down' | 'loggedOut';

export interface World {
  /** Runs `command` with the line, in a situation. `flags` come after the line. */
  readonly run: (command: string, line: Line, situation: Situation, ...flags: readonly string[]) => Promise<Ended>;
  readonly remove: () => Promise<void>;
}

interface Credentials {
  readonly accounts: Readonly<
    Record<string, { readonly store: 'file'; readonly record: { readonly client?: unknown } }>
  >;
}

/** A name for a fixture that the service need not know, because the command fails before it asks. */
const PAPER = 'AAAAAAAAAAAAA';
/** Time between two looks at a command that waits, in milliseconds. */
const POLL_MS = 100;

/** Starts the daemon and creates the homes. */
export const createWorld = async (): Promise<World> => {
  const env = { ACTORCTL_BROWSER: 'none', VISUAL: 'true', SHELL: '/bin/bash' };
  const [home, receiver]: [Home, Receiver] = [inProcessHome(env), await startReceiver()];
  await home.up();
  const inHome = (name: string): string => join(home.folder, name);
  const empty = inHome('empty');
  mkdirSync(empty);
  /** Another configuration with the same logins, and without a daemon. */
  const apart = (): string => {
    const folder = mkdtempSync(inHome('apart-'));
    cpSync(inHome('config'), join(folder, 'config'), { recursive: true });
    return folder;
  };
  /** Another configuration for the same daemon, without logins. The client of the program stays. */
  const beside = (): string => {
    const folder = apart();
    for (const part of ['state', 'data']) symlinkSync(inHome(part), join(folder, part));
    const file = join(folder, 'config', 'credentials.json');
    const { accounts, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    const clients = Object.entries(accounts).map(
      ([
        account,
        {
          store,
          record: { client },
        },
      ]) => [account, { store, record: { client } }],
    );
    writeFileSync(file, JSON.stringify({ ...rest, accounts: Object.fromEntries(clients) }));
    return folder;
  };
  const folders = { up: home.folder, down: apart(), loggedOut: beside() };

  const files = { ...filesIn(home.folder), hook: () => receiver.url };
  let names = 0;
  const fresh = (): string => {
    names += 1;
    return `new-${names}`;
  };
  /** Replaces the fixtures of a text by their values. */
  const fill = async (text: string, at: string, live: boolean): Promise<string> => {
    const workshop: Workshop = {
      fresh,
      run: async (line, input) => {
        const { code, stdout, stderr } = await home.cli((await fill(line, at, true)).split(' '), {
          env: { ACTORCTL_HOME: at },
          cwd: empty,
          ...(input !== undefined && { input }),
        });
        if (code !== 0) throw new Error(`actorctl ${line} ended with ${code}: ${stderr}`);
        return stdout;
      },
    };
    let filled = text;
    for (const [braced, name = ''] of text.matchAll(/\{([a-z-]+)\}/g)) {
      const file: Fixture | undefined = files[name as keyof typeof files];
      const thing = things[name];
      if (file === undefined && thing === undefined) throw new Error(`there is no fixture ${braced}`);
      const value = file ? await file(workshop) : live ? await thing?.(workshop) : PAPER;
      filled = filled.replace(braced, value ?? '');
    }
    return filled;
  };
  /** A home with a login of `dev` and one of `ana`, the current one. */
  const ownHome = async (): Promise<string> => {
    await fill('{ana}', home.folder, true);
    const folder = beside();
    for (const [user, password] of Object.entries({ [ADMIN.username]: ADMIN.password, ana: ANA_PASSWORD }))
      await home.cli(['login', '--username', user, '--password-stdin', '--force'], {
        env: { ACTORCTL_HOME: folder },
        input: password,
      });
    return folder;
  };

  const run: World['run'] = async (command, line, situation, ...flags) => {
    const wish: Invocation = typeof line === 'string' ? { line } : line;
    const own = wish.home === 'own' && { up: ownHome, down: apart, loggedOut: beside }[situation];
    const at = own ? await own() : folders[situation];
    const filled = (text: string): Promise<string> => fill(text, at, situation === 'up');
    const words = (await filled(wish.line)).split(' ').filter((word) => word !== '');
    const options = {
      // Completion writes into files of the person.
      env: { ...env, ...wish.env, ACTORCTL_HOME: at, HOME: at, XDG_CONFIG_HOME: '' },
      cwd: wish.cwd === undefined ? empty : await filled(wish.cwd),
      ...(wish.input !== undefined && { input: await filled(wish.input) }),
    };
    const args = [...command.split(' '), ...words, ...flags];
    const started = wish.process
      ? startProcess(args, { ...options, env: { ...home.env, ...options.env } })
      : home.start(args, options);
    if (situation !== 'up') return started.ended;
    const { until, meanwhile } = wish;
    while ((until ?? meanwhile) !== undefined) {
      if (await Promise.race([started.ended, new Promise((wake) => setTimeout(wake, POLL_MS))])) break;
      if (meanwhile !== undefined) await home.cli((await filled(meanwhile)).split(' '), options);
      if (until?.test(started.out() + started.err())) {
        started.interrupt();
        break;
      }
    }
    return started.ended;
  };
  return {
    run,
    remove: async () => {
      await home.cli(['down', '--instance', 'spare']);
      await home.cli(['down', '--instance', 'moved']);
      await home.remove();
      await receiver.close();
    },
  };
};
