// Creates the dependencies of a command, for main.ts.
import { setMaxListeners } from 'node:events';
import path from 'node:path';
import type { GlobalValues, ListValues } from './commands/framework/flags.ts';
import type { CommandContext } from './context.ts';
import { CliFailure } from './failure.ts';
import { paths } from './local/paths.ts';
import { forOwnDaemon } from './local/settings/own-daemon.ts';
import type { Settings } from './local/settings/settings.ts';
import type { ProcessContext } from './process-context.ts';
import { createBrowser } from './ui/browser.ts';
import { createKeys } from './ui/keys.ts';
import { createPrompt } from './ui/prompt.ts';
import { loadSettings } from './wiring/load-settings.ts';
import { outputFor } from './wiring/output.ts';
import { createAddresses, createReach } from './wiring/service.ts';
import { createRequests, credentialsOf } from './wiring/session.ts';

/** Default size limit of a document in bytes. */
const READ_LIMIT = 64 * 1024 * 1024;

const sleeper =
  (signal: AbortSignal) =>
  (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(new CliFailure('CANCELLED', 'interrupted'));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });

/** The environment without the variables that name a service, an instance or a credential. */
const withoutTarget = (env: ProcessContext['env']): ProcessContext['env'] =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^ACTORCTL_(?:CONTEXT|INSTANCE|BASE_URL|TOKEN|NONCE|CLIENT_ID|CLIENT_SECRET|ADMIN_\w+)$/.test(name),
    ),
  );

/** The environment without the variables that name an address or a key of the daemon of another home. */
const withoutPlaces = (env: ProcessContext['env']): ProcessContext['env'] =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^ACTORCTL_(?:PORT|BIND|PUBLIC_URL|LEGACY_PORT|CONFIG_KEY_FILE|AUTOSTART)$/.test(name),
    ),
  );

/** Creates the dependencies of a command. @throws CliFailure USAGE for invalid settings */
export const createContext = async (
  flags: GlobalValues,
  list: ListValues | undefined,
  around: ProcessContext,
): Promise<CommandContext> => contextOf(await loadSettings(flags, around), flags, list, around);

const contextOf = async (
  settings: Settings,
  flags: GlobalValues,
  list: ListValues | undefined,
  around: ProcessContext,
): Promise<CommandContext> => {
  const { env, signal, version } = around;
  setMaxListeners(0, signal); // each pending request and wait adds a listener; Node 20 warns about more than ten
  const places = paths({ ...around, instance: settings.instance });
  if (env['SUDO_UID']) {
    const { refuseForeignHome } = await import('./local/folders/foreign-home.ts');
    refuseForeignHome({ ...around, paths: places });
  }
  const basis = { settings, places, around };
  const reach = createReach(basis);
  const { transport, manage, serviceClock } = reach;
  const output = await outputFor(flags, list, settings, around, serviceClock.now);
  const addresses = createAddresses(basis, reach, output);
  const { local, origin, authOrigin, address, addressOfAccount } = addresses;
  const warned = new Set<string>();
  const onBlank = (file: string): void => {
    if (warned.has(file)) return;
    warned.add(file);
    output.warn(`${file} is blank, as after a power failure: it is ignored`);
  };
  settings.blankFiles.forEach(onBlank);
  if (settings.clientId !== undefined && settings.clientSecret === undefined)
    output.warn('ACTORCTL_CLIENT_ID is ignored without ACTORCTL_CLIENT_SECRET');
  const credentials = credentialsOf(basis, output, onBlank);
  const requests = createRequests(basis, reach, addresses, credentials, output);
  const read: CommandContext['read'] = async (source, limit = READ_LIMIT) => {
    const { readSource } = await import('./local/user-files.ts');
    return readSource(source, limit, around);
  };
  const readSecrets: CommandContext['readSecrets'] = async (questions) => {
    const { secretsFrom } = await import('./ui/secrets.ts');
    return secretsFrom(questions, {
      prompt: around.stdinTty ? context.prompt : undefined,
      lines: async (count, limit) => (await import('./local/user-files.ts')).readStdinLines(count, limit, around),
    });
  };
  const asking = {
    stdinTty: around.stdinTty,
    stderrTty: around.stderr.isTTY === true,
    noInput: settings.noInput,
    machine: output.machine,
  };
  const context: CommandContext = {
    settings,
    paths: places,
    output,
    keys: createKeys(asking),
    terminal: async () => (await import('./ui/terminal.ts')).createTerminal(around),
    prompt: createPrompt({
      rule: asking,
      yes: settings.yes,
      signal,
    }),
    ...requests,
    transport,
    browser: createBrowser(around),
    editor: async () => {
      const { createEditor } = await import('./ui/editor.ts');
      const { temporaryFolder } = await import('./local/files.ts');
      return createEditor({ ...around, terminal: around.stdinTty && around.stderr.isTTY === true, temporaryFolder });
    },
    credentials,
    local,
    manage,
    service: async () => {
      const { createService } = await import('./local/daemon/service.ts');
      return createService({ ...around, paths: places });
    },
    origin,
    authOrigin,
    address,
    addressOfAccount,
    user: { env, home: around.home, platform: around.platform, loginShell: around.loginShell },
    docsDir: around.docsDir,
    cwd: around.cwd,
    read,
    readSecrets,
    write: async (file, bytes) => {
      const { writeTarget } = await import('./local/user-files.ts');
      await writeTarget(file, bytes, around.cwd);
    },
    signal,
    takeSignals: around.takeSignals,
    program: around.program,
    now: Date.now,
    serviceClock,
    sleep: sleeper(signal),
    version,
    withSignal: (until) => contextOf(settings, flags, list, { ...around, signal: until }),
    beside: (instance, until) =>
      createContext({ ...flags, context: 'local', instance, tokenFile: undefined, nonce: undefined }, undefined, {
        ...around,
        env: withoutTarget(env),
        signal: until,
      }),
    inHome: (folder, until, quiet = flags.quiet) => {
      const instance = path.basename(folder);
      return createContext(
        { ...flags, context: 'local', instance, quiet, tokenFile: undefined, nonce: undefined },
        undefined,
        {
          ...around,
          env: {
            ...withoutPlaces(withoutTarget(env)),
            ACTORCTL_HOME: folder,
            ACTORCTL_INSTANCE: instance,
            // The folder of a project may name another context.
            ACTORCTL_CONTEXT: 'local',
            ACTORCTL_CREDENTIAL_STORE: 'file',
          },
          signal: until,
        },
      );
    },
    ownDaemon: async () =>
      settings.baseUrl === undefined ? context : contextOf(forOwnDaemon(settings), flags, list, around),
  };
  return context;
};
