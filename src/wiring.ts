// Creates everything that a command may use, for main.ts. Over 250 lines, because it is one list of parts.
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Address } from './client/address.ts';
import { createCall, createRequest } from './client/call.ts';
import { createAskAsClient, createGrant } from './client/grant.ts';
import { createManage } from './client/manage.ts';
import { createServiceClock, type ServiceClock } from './client/service-clock.ts';
import { createSession } from './client/session.ts';
import { createStartingTransport } from './client/starting-transport.ts';
import type { Stream } from './client/stream.ts';
import { createTransport } from './client/transport.ts';
import type { GlobalValues, ListValues } from './commands/framework/flags.ts';
import { sameTarget } from './commands/framework/same-target.ts';
import type { CommandContext } from './context.ts';
import { CliFailure } from './failure.ts';
import { createCredentials } from './local/credentials/credentials.ts';
import type { Local } from './local/daemon/instance-daemon.ts';
import { readJson } from './local/json-file.ts';
import { DEFAULT_INSTANCE, paths } from './local/paths.ts';
import { forOwnDaemon } from './local/settings/own-daemon.ts';
import { resolveSettings, type Settings } from './local/settings/settings.ts';
import type { ProcessContext } from './process-context.ts';
import { createBrowser } from './ui/browser.ts';
import { hasColor, paintFor } from './ui/color.ts';
import { parseDuration } from './ui/format/time.ts';
import { createKeys } from './ui/keys.ts';
import { createOutput, type Output } from './ui/output.ts';
import { createPrompt } from './ui/prompt.ts';
import type { Sink } from './ui/sink.ts';
import { createProgress } from './ui/spinner.ts';

/** Default size limit of a document in bytes. */
const READ_LIMIT = 64 * 1024 * 1024;

/** The nearest actorctl.json in this folder or above, as git finds its repository. */
const findProject = (cwd: string): string | undefined => {
  const file = path.join(cwd, 'actorctl.json');
  if (existsSync(file)) return file;
  const parent = path.dirname(cwd);
  return parent === cwd ? undefined : findProject(parent);
};

const document = async (file: string | undefined) => {
  if (file === undefined) return undefined;
  const value = await readJson(file);
  return value === undefined ? undefined : { path: file, value };
};

const loadSettings = async (flags: GlobalValues, around: ProcessContext): Promise<Settings> => {
  const { settingsFile, contextsFile } = paths({ ...around, instance: DEFAULT_INSTANCE });
  const [settings, contexts, project] = await Promise.all([
    document(settingsFile),
    document(contextsFile),
    document(findProject(around.cwd)),
  ]);
  const found = { settings, contexts, project };
  const files = Object.values(found).some((file) => file !== undefined)
    ? (await import('./local/settings/settings-file.ts')).checkFiles(found)
    : {};
  return resolveSettings({
    flags: {
      ...flags,
      output: flags.json ? 'json' : flags.ndjson ? 'ndjson' : flags.output,
      noInput: !flags.input,
    },
    env: around.env,
    files,
    duration: parseDuration,
  });
};

/** Splits at commas and spaces, because PowerShell replaces commas by spaces. */
const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const outputFor = async (
  flags: GlobalValues,
  list: ListValues | undefined,
  settings: Settings,
  around: ProcessContext,
  now: ServiceClock['now'],
): Promise<Output> => {
  const { stdout, stderr, env } = around;
  const data = settings.output !== 'table' && settings.output !== 'wide';
  const colored = (sink: Sink, machine: boolean) =>
    paintFor(hasColor({ mode: settings.color, env, tty: sink.isTTY === true, machine }));
  const errorTty = stderr.isTTY === true;
  return createOutput({
    stdout,
    stderr,
    format: settings.output,
    ...(flags.fields !== undefined && { fields: wordsOf(flags.fields) }),
    ...(flags.jq !== undefined && { jq: flags.jq }),
    ...(flags.template !== undefined && { template: flags.template }),
    ...(list && {
      selection: {
        filters: list.filter,
        ...(list.sort !== undefined && { sort: list.sort }),
        limit: list.limit ?? 50,
        byDefault: list.limit === undefined,
        offset: list.offset ?? 0,
        all: list.all,
      },
    }),
    raw: flags.raw,
    headers: flags.headers,
    envelope: flags.envelope,
    quiet: settings.quiet,
    verbose: settings.verbose,
    paint: await colored(stdout, data || flags.jq !== undefined),
    errorPaint: await colored(stderr, false),
    progress: createProgress({
      stderr,
      animated: errorTty && !settings.quiet && !settings.noInput,
      silent: settings.quiet || (settings.output === 'json' && !settings.verbose) || settings.output === 'ndjson',
    }),
    sameTarget: sameTarget(flags),
    now,
  });
};

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

/** The environment without what names a service, an instance or a credential. */
const withoutTarget = (env: ProcessContext['env']): ProcessContext['env'] =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^ACTORCTL_(?:CONTEXT|INSTANCE|BASE_URL|TOKEN|NONCE|CLIENT_ID|CLIENT_SECRET|ADMIN_\w+)$/.test(name),
    ),
  );

/**
 * Creates everything that a command may use.
 * @throws CliFailure USAGE for invalid settings
 */
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
  setMaxListeners(0, signal); // each request and each wait under way adds one; Node 20 warns of more than ten
  const places = paths({ ...around, instance: settings.instance });
  let own: Promise<string> | undefined;
  /**
   * The origin of the local daemon, which shows its time as well. It is asked again only after a failure. An address in
   * a file may belong to another program by now, and that program must not receive a token.
   */
  const ownOrigin = (): Promise<string> => {
    own ??= manage('daemon.origin').then(
      ({ baseUrl }) => baseUrl,
      (error: unknown) => {
        own = undefined;
        throw error;
      },
    );
    return own;
  };
  const serviceClock = createServiceClock(Date.now, async () => {
    if (settings.baseUrl === undefined) await ownOrigin();
  });
  const output = await outputFor(flags, list, settings, around, serviceClock.now);
  const local = async (): Promise<Local> => {
    const { createLocal } = await import('./local/daemon/instance-daemon.ts');
    return createLocal({ paths: places, manage, settings, daemon: around.daemon, env, signal });
  };
  const read: CommandContext['read'] = async (source, limit = READ_LIMIT) => {
    const { readSource } = await import('./local/user-files.ts');
    return readSource(source, limit, around);
  };
  const startDaemon = async (): Promise<string> => {
    const { status, dropped } = await (await local()).start({}, 30_000);
    for (const line of dropped) output.note(line);
    return status.baseUrl;
  };
  let known: Promise<string> | undefined;
  const find = async (): Promise<string> => {
    if (settings.baseUrl !== undefined) return settings.baseUrl;
    try {
      return await ownOrigin();
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code !== 'DAEMON_NOT_RUNNING' || !settings.autostart) throw error;
      return startDaemon();
    }
  };
  const origin = (): Promise<string> => {
    known ??= find();
    return known;
  };
  const address: Address = settings.baseUrl ?? { socket: places.socket };
  const addressOfAccount = async (account: string): Promise<Address> => {
    if (account === settings.account) {
      await origin();
      return address;
    }
    const [, kind, name = ''] = /^([a-z]+)\/(.*)$/s.exec(account) ?? [];
    if (kind === 'url') return name;
    if (kind === 'local') return { socket: paths({ ...around, instance: name }).socket };
    const { contextNamed, readContexts } = await import('./local/contexts.ts');
    const { base_url: named } = contextNamed(await readContexts(places.contextsFile), name);
    if (named !== undefined) return named.replace(/\/$/, '');
    throw new CliFailure('NOT_FOUND', `the context "${name}" has no address`);
  };
  const transport = createTransport({
    timeoutMs: settings.requestTimeoutMs,
    isLocal: settings.baseUrl === undefined,
    heard: serviceClock.heard,
    ...(settings.debug && { trace: (line: string) => void around.stderr.write(`${line}\n`) }),
  });
  const manage = createManage(transport, places.socket, signal);
  const starting = settings.autostart
    ? createStartingTransport({ transport, socket: places.socket, start: startDaemon })
    : transport;
  const credentials = createCredentials({
    file: places.credentialsFile,
    keychain: {
      ask: async (asked) => {
        const { createKeychain } = await import('./local/credentials/keychain.ts');
        return createKeychain({ helper: around.keychainHelper, env, signal }).ask(asked);
      },
    },
    choice: settings.credentialStore,
    platform: around.platform,
    env,
    signal,
  });
  const { authUrl } = settings;
  const authOrigin = authUrl === undefined ? origin : () => Promise.resolve(authUrl);
  const askAsClient = createAskAsClient({ transport: starting, address: authUrl ?? address, signal });
  const grant = createGrant(askAsClient);
  let tokenFile: Promise<() => Promise<Buffer>> | undefined;
  const session = createSession({
    settings,
    credentials,
    grant,
    ...(settings.baseUrl === undefined && {
      makeClient: async () => {
        await origin();
        const { client_id, client_secret } = await manage('daemon.client');
        return { id: client_id, secret: client_secret };
      },
    }),
    readTokenFile: async (file) => {
      tokenFile ??= import('./local/user-files.ts').then(({ rereading }) => rereading(file, 64 * 1024, around));
      const readAgain = await tokenFile;
      return (await readAgain()).toString('utf8');
    },
    onDowngrade: (reason) =>
      output.warn(
        `the keychain is not used (${reason}): credentials are in ${places.credentialsFile}, readable only by you; actorctl login --store keychain tries again`,
      ),
    lockFile: path.join(places.configDir, `session-${encodeURIComponent(settings.account)}.lock`),
    clock: serviceClock,
    signal,
  });
  /**
   * The token of a request. Whether there is one, and whether it has expired, is not said before the local daemon was
   * reached, or started: without it a login is no help, and it shows the time that counts.
   */
  const token = async (): Promise<string> => {
    try {
      return await session.token();
    } catch (error) {
      const isMissing = error instanceof CliFailure && ['AUTH_REQUIRED', 'TOKEN_EXPIRED'].includes(error.code);
      if (!isMissing || settings.baseUrl !== undefined) throw error;
      await origin();
      return session.token();
    }
  };
  const sender = { token, renew: session.renew };
  const request = createRequest({ transport: starting, address, session: sender, signal });
  const stream: Stream = async function* (...input) {
    const { createStream } = await import('./client/stream.ts');
    const open = createStream({
      request,
      ...(settings.nonce && { nonce: settings.nonce }),
      note: output.note,
      now: Date.now,
      signal,
      isLocal: settings.baseUrl === undefined,
    });
    yield* open(...input);
  };
  const call = createCall(request, output.received, settings.nonce);
  const retryingCall: CommandContext['retryingCall'] =
    (limits) =>
    async (...input) => {
      const { createRetryingCall } = await import('./client/retrying-call.ts');
      const parts = { call, note: output.note, now: Date.now, signal };
      return createRetryingCall({ ...parts, isLocal: settings.baseUrl === undefined }, limits)(...input);
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
    prompt: createPrompt({
      rule: asking,
      yes: settings.yes,
      signal,
    }),
    call,
    retryingCall,
    request,
    stream,
    session,
    grant,
    askAsClient,
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
    user: { env, home: around.home, platform: around.platform },
    docsDir: around.docsDir,
    cwd: around.cwd,
    read,
    write: async (file, bytes) => {
      const { writeTarget } = await import('./local/user-files.ts');
      await writeTarget(file, bytes, around.cwd);
    },
    signal,
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
    ownDaemon: async () =>
      settings.baseUrl === undefined ? context : contextOf(forOwnDaemon(settings), flags, list, around),
  };
  return context;
};
