// The configuration of the daemon: flags, then ACTORCTL_* variables, then defaults, resolved and checked once. Only
// this file and main read the environment. Over 250 lines, because it is one list of settings.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { MESSAGE_LIMIT } from '../src/contract/actors/messages.ts';
import { STATE_LIMIT } from '../src/contract/actors/state.ts';
import { type Keepable, keepable } from '../src/local/archive/keepable.ts';
import { DEFAULT_PORT, exposure, isLoopback } from '../src/local/daemon/launch.ts';
import { type LegacySettings, legacySettings } from '../src/local/daemon/legacy-settings.ts';
import { homeFolder } from '../src/local/folders/home-folder.ts';
import { DEFAULT_INSTANCE, isInstanceName, type Paths, paths } from '../src/local/paths.ts';
import { isOn } from '../src/local/settings/is-on.ts';

/** An invalid flag or variable; the message names it and the reason. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface DaemonConfig {
  readonly instance: string;
  /** 0: any free port. */
  readonly port: number;
  /** With port 0: the port to try first. */
  readonly preferPort?: number;
  /** Address to listen on. */
  readonly bind: string;
  /** True if an address that other machines reach is allowed. */
  readonly insecureBind: boolean;
  readonly paths: Paths;
  /** The data folder; differs from `paths.dataDir` when `--data-dir` is given. */
  readonly dataDir: string;
  /** File of the key that encrypts secret configs. */
  readonly configKeyFile: string;
  /** Data are deleted on a clean stop. */
  readonly ephemeral: boolean;
  /**
   * The clock that the instance must have: that of the machine, a virtual one, or a virtual one that begins at an instant
   * (ms). Absent: any; a new instance gets that of the machine.
   */
  readonly clock?: 'machine' | 'virtual' | number;
  /** What replaces the data before the daemon opens them. */
  readonly replacement?:
    | {
        readonly kind: 'import';
        /** Absolute path of an archive. */
        readonly file: string;
        /** True: data that are there are replaced. */
        readonly replace: boolean;
      }
    | { readonly kind: 'reset'; readonly keep: readonly Keepable[] };
  /** Absolute path of the file into which an orderly stop writes all data. */
  readonly backupOnExit?: string;
  /** True: that file has the key of secret configs. */
  readonly backupKeys: boolean;
  /** Halts the executions that an earlier daemon left running, and stops. Nothing else is started. */
  readonly haltOnly: boolean;
  /** Checks the records and ends. Nothing is opened for writing, and nothing is started. */
  readonly checkData: boolean;
  /** Value of `--docker-host`; without it, the engine is searched in `env` and the usual places. */
  readonly dockerHost?: string;
  /** What runs container images. */
  readonly engine: 'docker' | 'swarm';
  /** A flag or a variable names the engine. */
  readonly isEngineNamed: boolean;
  /** Registry to which images are pushed for the nodes of a swarm: `host:port`, and a path below it if there is one. */
  readonly registry?: string;
  /** URL at which the nodes of a swarm reach this daemon. Absent: it is found. */
  readonly advertiseUrl?: string;
  /** The https listener for programs of the hosted platform. Absent: there is none. */
  readonly legacy?: LegacySettings;
  /** File descriptor for the report of the start. */
  readonly readyFd?: number;
  /** Log to standard error instead of the log file. */
  readonly logToStderr: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly limits: {
    /** Executions of one actor that may run at the same time; absent: the number of cores. */
    readonly maxWorkers?: number;
    /** Seconds one execution may run; absent: no limit. */
    readonly maxRunTime?: number;
    /** Bytes of memory for one execution. */
    readonly memoryBytes: number;
    /** Processes and threads of one execution. */
    readonly pids: number;
    /** Bytes that the container of one execution may write to its own files. */
    readonly diskBytes: number;
    /** Bytes of one message; absent: the maximum of the contract. */
    readonly messageBytes?: number;
    /** Bytes of the messages that may wait for one actor. */
    readonly mailboxBytes: number;
    /** Bytes of one state; absent: the maximum of the contract. */
    readonly stateBytes?: number;
  };
  /** How many objects of each kind one user may own; absent: the defaults of the actor service. */
  readonly quotas: Readonly<Partial<Record<(typeof QUOTAS)[number], number>>>;
  /** Number of executions to keep per actor and per tenant, and for how many ms after their end. */
  readonly executionRetention: { readonly perActor: number; readonly total: number; readonly ageMs: number };
  /** Number of events to keep, and for how many ms. */
  readonly eventRetention: { readonly total: number; readonly ageMs: number };
  /** Whether webhooks may go to this machine and to private networks. */
  readonly allowPrivateWebhooks: boolean;
  /** Environment for the search for a Docker engine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const WEBHOOK_RULES = ['allow', 'deny'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Most executions or events that can be kept. */
const MOST_KEPT = 10_000_000;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MEBIBYTE = 1024 * 1024;
const QUOTAS = ['actors', 'aliases', 'nonces', 'configs'] as const;

const whole = (name: string, value: string | undefined, min: number, max: number): number | undefined => {
  if (value === undefined || value === '') return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}"`);
};

const quotasOf = (env: Readonly<Record<string, string | undefined>>): DaemonConfig['quotas'] =>
  Object.fromEntries(
    QUOTAS.flatMap((kind) => {
      const name = `ACTORCTL_QUOTA_${kind.toUpperCase()}`;
      const quota = whole(name, env[name], 0, 10_000_000);
      return quota === undefined ? [] : [[kind, quota]];
    }),
  );

/** Whether webhooks may go to private addresses. @see docs/security.md C21 */
const mayBePrivate = (value: string | undefined): boolean => {
  const rule = WEBHOOK_RULES.find((name) => name === (value || 'allow'));
  if (rule === undefined) {
    throw new ConfigError(`ACTORCTL_WEBHOOK_PRIVATE must be one of ${WEBHOOK_RULES.join(', ')}, not "${value}"`);
  }
  return rule === 'allow';
};

/** A value, and the flag or the variable that it comes from. */
interface Setting {
  readonly name: string;
  readonly value: string | undefined;
}

const portOf = ({ name, value }: Setting): number =>
  value === 'auto' ? 0 : (whole(name, value, 1, 65_535) ?? DEFAULT_PORT);

/** A loopback address, or any address if the user allowed it explicitly. @see docs/security.md R106 */
const bindOf = (value: string, allowed: boolean): string => {
  if (isLoopback(value) || allowed) return value;
  throw new ConfigError(`${exposure(value)}; add --insecure-bind if that is what you want`);
};

const ENGINES = ['docker', 'swarm'] as const;
const REGISTRY = /^[a-z0-9.-]+(:\d{1,5})?(\/[a-z0-9._-]+)*$/;

/** What runs container images, and what a swarm needs. Empty texts count as absent. */
const clusterOf = (given: {
  readonly engine: Setting;
  readonly registry: Setting;
  readonly advertiseUrl: Setting;
}): Pick<DaemonConfig, 'engine' | 'isEngineNamed' | 'registry' | 'advertiseUrl'> => {
  const engine = ENGINES.find((name) => name === (given.engine.value || 'docker'));
  if (engine === undefined)
    throw new ConfigError(`${given.engine.name} must be one of ${ENGINES.join(', ')}, not "${given.engine.value}"`);
  const registry = given.registry.value;
  const advertiseUrl = given.advertiseUrl.value;
  if (registry && !REGISTRY.test(registry))
    throw new ConfigError(
      `${given.registry.name} must be like registry.example:5000, without a scheme, not "${registry}"`,
    );
  if (advertiseUrl && !(URL.canParse(advertiseUrl) && /^http:\/\/[^/?#@]+\/?$/.test(advertiseUrl)))
    throw new ConfigError(`${given.advertiseUrl.name} must be like http://10.0.0.5:8722, not "${advertiseUrl}"`);
  if (engine === 'docker' && (registry || advertiseUrl))
    throw new ConfigError(`${(registry ? given.registry : given.advertiseUrl).name} needs --engine swarm`);
  return {
    engine,
    isEngineNamed: Boolean(given.engine.value),
    ...(registry && { registry }),
    ...(advertiseUrl && { advertiseUrl }),
  };
};

const clockOf = (value: string | undefined): DaemonConfig['clock'] => {
  if (value === undefined || value === 'machine' || value === 'virtual') return value;
  const time = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (time >= 0) return time;
  throw new ConfigError(`--clock must be machine, virtual or an instant like 2030-01-01T00:00:00Z, not "${value}"`);
};

const flags = {
  instance: { type: 'string' },
  port: { type: 'string' },
  'prefer-port': { type: 'string' },
  bind: { type: 'string' },
  'insecure-bind': { type: 'boolean' },
  'data-dir': { type: 'string' },
  'docker-host': { type: 'string' },
  engine: { type: 'string' },
  registry: { type: 'string' },
  'advertise-url': { type: 'string' },
  legacy: { type: 'boolean' },
  'no-legacy': { type: 'boolean' },
  'legacy-port': { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'legacy-jwt-public-key': { type: 'string' },
  ephemeral: { type: 'boolean' },
  clock: { type: 'string' },
  'halt-only': { type: 'boolean' },
  import: { type: 'string' },
  replace: { type: 'boolean' },
  reset: { type: 'boolean' },
  keep: { type: 'string' },
  'backup-on-exit': { type: 'string' },
  'with-keys': { type: 'boolean' },
  'check-data': { type: 'boolean' },
  'ready-fd': { type: 'string' },
  'log-stderr': { type: 'boolean' },
  'log-level': { type: 'string' },
} as const;

const parse = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
};

/** @throws ConfigError */
const replacementOf = (given: ReturnType<typeof parse>): Pick<DaemonConfig, 'replacement'> => {
  if (given.import !== undefined && given.reset) throw new ConfigError('--import and --reset cannot be used together');
  if (given.import !== undefined)
    return { replacement: { kind: 'import', file: path.resolve(given.import), replace: given.replace === true } };
  if (!given.reset) return {};
  const words = given.keep?.split(',') ?? [];
  const keep = keepable.filter((word) => words.includes(word));
  if (keep.length < words.length) throw new ConfigError(`--keep takes ${keepable.join(' and ')}, not "${given.keep}"`);
  if (keep.includes('clients') && !keep.includes('users'))
    throw new ConfigError('--keep clients needs --keep users,clients, because a client belongs to a user');
  return { replacement: { kind: 'reset', keep } };
};

const homeOf = (env: Parameters<typeof homeFolder>[0]): string => {
  try {
    return homeFolder(env);
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
};

/**
 * Resolves the configuration of a daemon.
 * @throws ConfigError naming the flag or variable that cannot be used
 */
export const resolveConfig = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): DaemonConfig => {
  const given = parse(argv);
  const setting = (
    flag: 'instance' | 'port' | 'bind' | 'engine' | 'registry' | 'advertise-url' | 'log-level',
  ): Setting => {
    const variable = `ACTORCTL_${flag.toUpperCase().replaceAll('-', '_')}`;
    const value = given[flag];
    return value === undefined ? { name: variable, value: env[variable] || undefined } : { name: `--${flag}`, value };
  };
  const named = setting('instance');
  const instance = named.value ?? DEFAULT_INSTANCE;
  if (!isInstanceName(instance)) {
    throw new ConfigError(`${named.name} must be letters, digits, "-" and "_", at most 40 of them, not "${instance}"`);
  }
  const home = homeOf(env);
  const places = paths({ env, platform, home, instance });
  const level = setting('log-level');
  const logLevel = LOG_LEVELS.find((name) => name === (level.value ?? 'info'));
  if (logLevel === undefined)
    throw new ConfigError(`${level.name} must be one of ${LOG_LEVELS.join(', ')}, not "${level.value}"`);
  const dockerHost = given['docker-host'];
  const cluster = clusterOf({
    engine: setting('engine'),
    registry: setting('registry'),
    advertiseUrl: setting('advertise-url'),
  });
  const ofLegacy = given['no-legacy'] ? {} : env;
  const legacy = legacySettings({
    isOn: given['no-legacy'] ? false : (given.legacy ?? isOn(ofLegacy['ACTORCTL_LEGACY'])),
    port: given['legacy-port'] ?? ofLegacy['ACTORCTL_LEGACY_PORT'],
    tlsCert: given['tls-cert'] ?? ofLegacy['ACTORCTL_TLS_CERT'],
    tlsKey: given['tls-key'] ?? ofLegacy['ACTORCTL_TLS_KEY'],
    jwtKey: given['legacy-jwt-public-key'] ?? ofLegacy['ACTORCTL_LEGACY_JWT_PUBLIC_KEY'],
  });
  if (typeof legacy === 'string') throw new ConfigError(legacy);
  const readyFd = whole('--ready-fd', given['ready-fd'], 3, 1_024);
  const maxWorkers = whole('ACTORCTL_MAX_WORKERS', env['ACTORCTL_MAX_WORKERS'], 1, 1_000);
  const maxRunTime = whole('ACTORCTL_MAX_RUN_TIME', env['ACTORCTL_MAX_RUN_TIME'], 1, 31_536_000);
  const messageBytes = whole('ACTORCTL_MESSAGE_LIMIT', env['ACTORCTL_MESSAGE_LIMIT'], 1, MESSAGE_LIMIT);
  const stateBytes = whole('ACTORCTL_STATE_LIMIT', env['ACTORCTL_STATE_LIMIT'], 1, STATE_LIMIT);
  const clock = clockOf(given.clock);
  const preferPort = whole('--prefer-port', given['prefer-port'], 1, 65_535);
  const insecureBind = given['insecure-bind'] === true;
  const dataDir = given['data-dir'] === undefined ? places.dataDir : path.resolve(given['data-dir']);
  return {
    instance,
    port: portOf(setting('port')),
    ...(preferPort === undefined ? {} : { preferPort }),
    bind: bindOf(setting('bind').value ?? '127.0.0.1', insecureBind),
    insecureBind,
    paths: places,
    dataDir,
    configKeyFile: path.resolve(env['ACTORCTL_CONFIG_KEY_FILE'] || path.join(dataDir, 'config-key.json')),
    ephemeral: given.ephemeral === true,
    ...(clock === undefined ? {} : { clock }),
    haltOnly: given['halt-only'] === true,
    checkData: given['check-data'] === true,
    ...replacementOf(given),
    ...(given['backup-on-exit'] && { backupOnExit: path.resolve(given['backup-on-exit']) }),
    backupKeys: given['with-keys'] === true,
    ...(dockerHost ? { dockerHost } : {}),
    ...cluster,
    ...(legacy && { legacy }),
    ...(readyFd === undefined ? {} : { readyFd }),
    logToStderr: given['log-stderr'] === true,
    logLevel,
    limits: {
      ...(maxWorkers === undefined ? {} : { maxWorkers }),
      ...(maxRunTime === undefined ? {} : { maxRunTime }),
      memoryBytes: (whole('ACTORCTL_MEMORY_MB', env['ACTORCTL_MEMORY_MB'], 16, 1_048_576) ?? 1_024) * MEBIBYTE,
      pids: whole('ACTORCTL_PIDS', env['ACTORCTL_PIDS'], 8, 1_000_000) ?? 512,
      diskBytes: (whole('ACTORCTL_DISK_MB', env['ACTORCTL_DISK_MB'], 16, 16_777_216) ?? 2_048) * MEBIBYTE,
      mailboxBytes: (whole('ACTORCTL_MAILBOX_MB', env['ACTORCTL_MAILBOX_MB'], 1, 1_048_576) ?? 256) * MEBIBYTE,
      ...(messageBytes === undefined ? {} : { messageBytes }),
      ...(stateBytes === undefined ? {} : { stateBytes }),
    },
    quotas: quotasOf(env),
    executionRetention: {
      perActor:
        whole('ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR', env['ACTORCTL_EXECUTIONS_KEPT_PER_ACTOR'], 1, MOST_KEPT) ?? 10_000,
      total: whole('ACTORCTL_EXECUTIONS_KEPT', env['ACTORCTL_EXECUTIONS_KEPT'], 1, MOST_KEPT) ?? 100_000,
      ageMs: 30 * DAY_MS,
    },
    eventRetention: {
      total: whole('ACTORCTL_EVENTS_KEPT', env['ACTORCTL_EVENTS_KEPT'], 1, MOST_KEPT) ?? 10_000,
      ageMs: (whole('ACTORCTL_EVENTS_DAYS', env['ACTORCTL_EVENTS_DAYS'], 1, 36_500) ?? 30) * DAY_MS,
    },
    allowPrivateWebhooks: mayBePrivate(env['ACTORCTL_WEBHOOK_PRIVATE']),
    env,
    home,
  };
};
