// The configuration of the daemon: flags, then ACTORCTL_* variables, then defaults, resolved and checked once. Only
// this file and main.ts read the environment. The start option table defines the flags and variables.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { MESSAGE_LIMIT } from '../src/contract/actors/messages.ts';
import { STATE_LIMIT } from '../src/contract/actors/state.ts';
import { type Keepable, keepable } from '../src/local/archive/keepable.ts';
import { resolveStart } from '../src/local/daemon/resolve-start.ts';
import { DEFAULT_PORT, type StartValues, startRows } from '../src/local/daemon/start-options.ts';
import { refuseForeignHome } from '../src/local/folders/foreign-home.ts';
import { homeFolder } from '../src/local/folders/home-folder.ts';
import { DEFAULT_INSTANCE, isInstanceName, type Paths, paths, temporaryName } from '../src/local/paths.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Env = Readonly<Record<string, string | undefined>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum configurable number of stored executions or events. */
const MOST_KEPT = 10_000_000;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MEBIBYTE = 1024 * 1024;

const whole = (name: string, value: string | undefined, min: number, max: number): number | undefined => {
  if (value === undefined || value === '') return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}"`);
};

const oneOf = <const C extends readonly string[]>(name: string, value: string, words: C): C[number] => {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new ConfigError(`${name} must be one of ${words.join(', ')}, not "${value}"`);
};

const ownFlags = {
  instance: 'string',
  clock: 'string',
  'halt-only': 'boolean',
  'check-data': 'boolean',
  'ready-fd': 'string',
  'log-stderr': 'boolean',
  'log-level': 'string',
} as const;

/** The parsed flags of a command line. The last occurrence of a flag counts. */
type Given = ReturnType<typeof parse>;

const parse = (argv: readonly string[]) => {
  const startFlags = startRows.flatMap(([, { flag, off, value }]) => [
    [flag, value === undefined ? 'boolean' : 'string'] as const,
    ...(off === undefined ? [] : [[off, 'boolean'] as const]),
  ]);
  const types = [...startFlags, ...Object.entries(ownFlags)].map(([flag, type]) => [flag, { type }] as const);
  let values: Readonly<Record<string, unknown>>;
  try {
    ({ values } = parseArgs({ args: [...argv], options: Object.fromEntries(types) }));
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
  const start = startRows.map(([key, { flag, off }]) => [key, off !== undefined && values[off] ? false : values[flag]]);
  return {
    start: Object.fromEntries(start),
    text: (flag: keyof typeof ownFlags): string | undefined =>
      typeof values[flag] === 'string' ? values[flag] : undefined,
    isOn: (flag: keyof typeof ownFlags): boolean => values[flag] === true,
  };
};

/** Returns the value of a flag, or else of its variable, and the name of the source. */
const named = ({ text }: Given, env: Env, flag: keyof typeof ownFlags, fallback: string) => {
  const variable = `ACTORCTL_${flag.toUpperCase().replaceAll('-', '_')}`;
  const value = text(flag);
  return value === undefined ? { name: variable, value: env[variable] || fallback } : { name: `--${flag}`, value };
};

const instanceOf = (given: Given, env: Env): string => {
  const { name, value } = named(given, env, 'instance', DEFAULT_INSTANCE);
  if (isInstanceName(value)) return value;
  throw new ConfigError(`${name} must be letters, digits, "-" and "_", at most 40 of them, not "${value}"`);
};

/**
 * The clock that the start requires: the machine's clock, a virtual one, or a virtual one that begins at an instant
 * (ms). Undefined accepts any clock; a new instance then gets the machine's clock.
 */
const clockOf = (value: string | undefined): 'machine' | 'virtual' | number | undefined => {
  if (value === undefined || value === 'machine' || value === 'virtual') return value;
  const time = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (time >= 0) return time;
  throw new ConfigError(`--clock must be machine, virtual or an instant like 2030-01-01T00:00:00Z, not "${value}"`);
};

type Replacement =
  /** `file` is the absolute path of an archive. With `replace`, existing data are replaced. */
  | { readonly kind: 'import'; readonly file: string; readonly replace: boolean }
  | { readonly kind: 'reset'; readonly keep: readonly Keepable[] };

const replacementOf = ({ importFile, replace, reset, keep: kept }: StartValues): Replacement | undefined => {
  if (importFile !== undefined && reset) throw new ConfigError('--import and --reset cannot be used together');
  if (importFile !== undefined) return { kind: 'import', file: importFile, replace: replace === true };
  if (!reset) return undefined;
  const words = kept?.split(',') ?? [];
  const keep = keepable.filter((word) => words.includes(word));
  if (keep.length < words.length) throw new ConfigError(`--keep takes ${keepable.join(' and ')}, not "${kept}"`);
  if (keep.includes('clients') && !keep.includes('users'))
    throw new ConfigError('--keep clients needs --keep users,clients, because a client belongs to a user');
  return { kind: 'reset', keep };
};

/** The https listener for programs of the hosted platform. Undefined if there is none. */
const legacyOf = ({ legacy, legacyPort, tlsCert: cert, tlsKey: key, legacyJwtPublicKey: jwtKey }: StartValues) =>
  legacy
    ? {
        /** Port number. 0: any free port. Absent: 443, or another one if 443 is unavailable. */
        port: legacyPort === undefined ? undefined : legacyPort === 'auto' ? 0 : Number(legacyPort),
        /** Files of a certificate and its key. If absent, a local authority issues the certificate. */
        tls: cert === undefined || key === undefined ? undefined : { cert, key },
        /** File with the public key of a gateway whose JWT assertions are accepted. */
        jwtKey,
      }
    : undefined;

/** @throws ConfigError instead of the errors of the command line */
const refusing = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
};

const startPart = (start: StartValues, places: Paths) => {
  const { port = String(DEFAULT_PORT), preferPort, bind = '127.0.0.1', dataDir = places.dataDir } = start;
  const { dockerHost, engine, registry, publicUrl, advertiseUrl, ephemeral = false } = start;
  const { backupOnExit, backupKeys = false } = start;
  return {
    /** The options as given by flags and variables, with absolute paths. */
    start,
    /** Port number; 0 means any free port. */
    port: port === 'auto' ? 0 : Number(port),
    preferPort: preferPort === undefined ? undefined : Number(preferPort),
    /** The address to listen on, in its canonical form. */
    bind,
    /** Origin at which people reach the daemon. If absent: that of `bind`. */
    publicUrl,
    /** The data folder; differs from `paths.dataDir` when `--data-dir` is given. */
    dataDir,
    /** True if the data are deleted on a clean stop. */
    ephemeral,
    replacement: replacementOf(start),
    backupOnExit,
    backupKeys,
    dockerHost,
    engine: engine === 'swarm' ? ('swarm' as const) : ('docker' as const),
    registry,
    advertiseUrl,
    legacy: legacyOf(start),
  };
};

const variablePart = (env: Env) => {
  const number = (name: string, min: number, max: number) => whole(name, env[name], min, max);
  const quota = (kind: string) => number(`ACTORCTL_QUOTA_${kind.toUpperCase()}`, 0, 10_000_000);
  return {
    limits: {
      /** Maximum parallel executions of one actor. If absent: the number of cores. */
      maxWorkers: number('ACTORCTL_MAX_WORKERS', 1, 1_000),
      /** Maximum run time of one execution in seconds. If absent: no limit. */
      maxRunTime: number('ACTORCTL_MAX_RUN_TIME', 1, 31_536_000),
      memoryBytes: (number('ACTORCTL_MEMORY_MB', 16, 1_048_576) ?? 1_024) * MEBIBYTE,
      /** Maximum number of processes and threads of one execution. */
      pids: number('ACTORCTL_PIDS', 8, 1_000_000) ?? 512,
      /** Maximum bytes that the container of one execution may write to its own files. */
      diskBytes: (number('ACTORCTL_DISK_MB', 16, 16_777_216) ?? 2_048) * MEBIBYTE,
      /** Maximum total bytes of the messages waiting for one actor. */
      mailboxBytes: (number('ACTORCTL_MAILBOX_MB', 1, 1_048_576) ?? 256) * MEBIBYTE,
      messageBytes: number('ACTORCTL_MESSAGE_LIMIT', 1, MESSAGE_LIMIT),
      stateBytes: number('ACTORCTL_STATE_LIMIT', 1, STATE_LIMIT),
    },
    /** Maximum number of objects of each kind that one user may own. If absent: the defaults of the actor service. */
    quotas: { actors: quota('actors'), aliases: quota('aliases'), nonces: quota('nonces'), configs: quota('configs') },
    executionRetention: {
      perActor: number('ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR', 1, MOST_KEPT) ?? 10_000,
      total: number('ACTORCTL_EXECUTIONS_KEPT', 1, MOST_KEPT) ?? 100_000,
      ageMs: 30 * DAY_MS,
    },
    eventRetention: {
      total: number('ACTORCTL_EVENTS_KEPT', 1, MOST_KEPT) ?? 10_000,
      ageMs: (number('ACTORCTL_EVENTS_DAYS', 1, 36_500) ?? 30) * DAY_MS,
    },
    /** @see docs/conformance/security.md C21 */
    allowPrivateWebhooks:
      oneOf('ACTORCTL_WEBHOOK_PRIVATE', env['ACTORCTL_WEBHOOK_PRIVATE'] || 'allow', ['allow', 'deny']) === 'allow',
  };
};

/** @throws ConfigError naming the flag or variable that cannot be used */
export const resolveConfig = (argv: readonly string[], env: Env, platform: NodeJS.Platform = process.platform) => {
  const given = parse(argv);
  const instance = instanceOf(given, env);
  const home = refusing(() => homeFolder(env));
  const places = paths({ env, platform, home, instance });
  refusing(() => refuseForeignHome({ uid: process.getuid?.(), env, home, paths: places }));
  const level = named(given, env, 'log-level', 'info');
  const start = resolveStart(given.start, env);
  if (typeof start === 'string') throw new ConfigError(start);
  const ofStart = startPart(start, places);
  const temporaryHome = temporaryName(env['ACTORCTL_HOME']);
  return {
    instance,
    paths: places,
    /** Name of the temporary home that this instance alone uses. Absent for any other home. */
    temporaryHome: temporaryHome === instance ? temporaryHome : undefined,
    ...ofStart,
    configKeyFile: path.resolve(env['ACTORCTL_CONFIG_KEY_FILE'] || path.join(ofStart.dataDir, 'config-key.json')),
    clock: clockOf(given.text('clock')),
    /**
     * True if the daemon only halts the executions that an earlier daemon left running, and then stops. Nothing else is
     * started.
     */
    haltOnly: given.isOn('halt-only'),
    /**
     * True if the daemon only checks the records and then exits. Nothing is opened for writing, and nothing is started.
     */
    checkData: given.isOn('check-data'),
    /** File descriptor to which the start writes its report. */
    readyFd: whole('--ready-fd', given.text('ready-fd'), 3, 1_024),
    logToStderr: given.isOn('log-stderr'),
    logLevel: oneOf(level.name, level.value, LOG_LEVELS),
    ...variablePart(env),
    /** Environment variables for finding a Docker engine. */
    env,
    home,
  };
};

export type DaemonConfig = Readonly<ReturnType<typeof resolveConfig>>;
