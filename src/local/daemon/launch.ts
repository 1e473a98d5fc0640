// How a daemon was started: what a restart keeps, and what the next start takes over.
import * as z from 'zod/mini';
import type { ClockWish } from '../../contract/virtual-clock.ts';
import { CliFailure } from '../../failure.ts';
import { readOwnJson } from '../own-place.ts';

/** Port of a daemon for which nothing else names one. */
export const DEFAULT_PORT = 8722;

/** Schema of what a running daemon was started with. The daemon reports it and stores it in `launch.json`. */
export const launch = z.object({
  /** Port on which the daemon listens. */
  port: z.int().check(z.gte(1), z.lte(65_535)),
  /** True if any free port was requested. */
  anyPort: z.boolean(),
  bind: z.string(),
  insecureBind: z.boolean(),
  dataDir: z.string(),
  /** Absent: the daemon looks for an engine. */
  dockerHost: z.optional(z.string()),
  /** Absent: docker. */
  engine: z.optional(z.string()),
  registry: z.optional(z.string()),
  advertiseUrl: z.optional(z.string()),
  /** True with the https listener for programs of the hosted platform. */
  legacy: z.optional(z.boolean()),
  /** Absent: 443, or another one if it cannot be had. */
  legacyPort: z.optional(z.string()),
  tlsCert: z.optional(z.string()),
  tlsKey: z.optional(z.string()),
  legacyJwtPublicKey: z.optional(z.string()),
  ephemeral: z.boolean(),
  /** File into which an orderly stop writes all data. Absent: none. */
  backupOnExit: z.optional(z.string()),
  backupKeys: z.optional(z.boolean()),
  /** Name of the user service as which the daemon runs. */
  service: z.optional(z.string()),
});
export type Launch = z.output<typeof launch>;

/** Flags of a start. Absent: the flag was not given. */
export interface LaunchFlags {
  /** A number, or `auto`. */
  readonly port?: string;
  /** With port `auto`: the port to try first. */
  readonly preferPort?: number;
  readonly bind?: string;
  readonly insecureBind?: boolean;
  /** Absolute path. */
  readonly dataDir?: string;
  readonly dockerHost?: string;
  readonly engine?: string;
  readonly registry?: string;
  readonly advertiseUrl?: string;
  /** False: without the https listener, whatever a setting or the last start says. */
  readonly legacy?: boolean;
  /** A number, or `auto`. */
  readonly legacyPort?: string;
  /** Absolute path, as the next two. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly legacyJwtPublicKey?: string;
  readonly ephemeral?: boolean;
  /** The clock that the instance must have. The instance keeps it, so a launch does not state it. */
  readonly clock?: ClockWish;
  /** Absolute path. */
  readonly backupOnExit?: string;
  /** With `backupOnExit`: include the key of secret configs. */
  readonly backupKeys?: boolean;
  /** Absolute path of an archive that becomes the data. */
  readonly importFile?: string;
  /** With `importFile`: replace the data that are there. */
  readonly replace?: boolean;
  /** Empty the instance, except for these words of `reset --keep`. */
  readonly reset?: readonly string[];
}

/** True if only this machine can reach the address. @see docs/security.md R106 */
export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);

/** Why an address that is not a loopback address is refused. */
export const exposure = (address: string): string =>
  `--bind ${address} would let other machines reach this daemon over plain http`;

/** The failure of a start that asks for another clock than the instance has. */
export const otherClockFailure = (message: string, isVirtual: boolean): CliFailure =>
  new CliFailure('OTHER_CLOCK', message, {
    hint: isVirtual ? 'actorctl clock --help' : 'actorctl up --virtual-clock --port auto --instance OTHER',
  });

/** The stored launch of the last daemon of an instance. Undefined if there is none that this version can read. */
export const readLaunch = async (file: string): Promise<Launch | undefined> => {
  const parsed = launch.safeParse(readOwnJson(file));
  return parsed.success ? parsed.data : undefined;
};

/** Flags that start a daemon on the port of an earlier one. */
export const samePort = ({ port, anyPort }: Launch): LaunchFlags =>
  anyPort ? { port: 'auto', preferPort: port } : { port: String(port) };

/** The flags that say what runs container images. */
const ENGINE_FLAGS = [
  ['dockerHost', 'docker-host'],
  ['engine', 'engine'],
  ['registry', 'registry'],
  ['advertiseUrl', 'advertise-url'],
] as const;

/** The flags of the https listener. */
const LEGACY_FLAGS = [
  ['legacyPort', 'legacy-port'],
  ['tlsCert', 'tls-cert'],
  ['tlsKey', 'tls-key'],
  ['legacyJwtPublicKey', 'legacy-jwt-public-key'],
] as const;

const TEXT_FLAGS = [...ENGINE_FLAGS, ...LEGACY_FLAGS] as const;

/** What a start said of the https listener. */
const sameLegacy = (before: Launch): LaunchFlags => ({
  ...(before.legacy && { legacy: true }),
  ...Object.fromEntries(LEGACY_FLAGS.flatMap(([name]) => (before[name] === undefined ? [] : [[name, before[name]]]))),
});

/** What a start said of the engine. */
export const sameEngine = (before: Launch): LaunchFlags =>
  Object.fromEntries(ENGINE_FLAGS.flatMap(([name]) => (before[name] === undefined ? [] : [[name, before[name]]])));

/** Flags that start a daemon as an earlier one was started, with the given flags in place of its own. */
export const sameLaunch = (before: Launch, given: LaunchFlags): LaunchFlags => ({
  ...(given.port === undefined && samePort(before)),
  bind: before.bind,
  insecureBind: before.insecureBind && given.bind === undefined,
  dataDir: before.dataDir,
  ...sameEngine(before),
  ...(given.legacy !== false && sameLegacy(before)),
  ephemeral: before.ephemeral,
  ...(before.backupOnExit !== undefined && {
    backupOnExit: before.backupOnExit,
    backupKeys: before.backupKeys === true,
  }),
  ...given,
});

const clockText = (wish: ClockWish): string => (typeof wish === 'number' ? new Date(wish).toISOString() : wish);

/** The command line of the daemon for these flags. */
export const launchArguments = (flags: LaunchFlags): readonly string[] => [
  ...(flags.port === undefined ? [] : ['--port', flags.port]),
  ...(flags.preferPort === undefined ? [] : ['--prefer-port', String(flags.preferPort)]),
  ...(flags.bind === undefined ? [] : ['--bind', flags.bind]),
  ...(flags.insecureBind ? ['--insecure-bind'] : []),
  ...(flags.dataDir === undefined ? [] : ['--data-dir', flags.dataDir]),
  ...(flags.legacy === undefined ? [] : [flags.legacy ? '--legacy' : '--no-legacy']),
  ...TEXT_FLAGS.flatMap(([name, flag]) => (flags[name] === undefined ? [] : [`--${flag}`, flags[name]])),
  ...(flags.ephemeral ? ['--ephemeral'] : []),
  ...(flags.clock === undefined ? [] : ['--clock', clockText(flags.clock)]),
  ...(flags.backupOnExit === undefined ? [] : ['--backup-on-exit', flags.backupOnExit]),
  ...(flags.backupKeys ? ['--with-keys'] : []),
  ...(flags.importFile === undefined ? [] : ['--import', flags.importFile]),
  ...(flags.replace ? ['--replace'] : []),
  ...(flags.reset === undefined ? [] : ['--reset']),
  ...(flags.reset === undefined || flags.reset.length === 0 ? [] : ['--keep', flags.reset.join(',')]),
];

/** The given flags that are not in force in a running daemon. */
export const notInForce = (given: LaunchFlags, running: Launch): LaunchFlags => ({
  ...(given.port !== undefined && given.port !== 'auto' && given.port !== String(running.port) && { port: given.port }),
  ...(given.bind !== undefined && given.bind !== running.bind && { bind: given.bind }),
  ...(given.insecureBind && !running.insecureBind && { insecureBind: true }),
  ...(given.dataDir !== undefined &&
    !given.ephemeral &&
    given.dataDir !== running.dataDir && { dataDir: given.dataDir }),
  ...Object.fromEntries(
    TEXT_FLAGS.filter(([name]) => {
      const now = name === 'engine' ? (running.engine ?? 'docker') : running[name];
      return given[name] !== undefined && given[name] !== now;
    }).map(([name]) => [name, given[name]]),
  ),
  ...(given.legacy !== undefined && given.legacy !== (running.legacy === true) && { legacy: given.legacy }),
  ...(given.ephemeral && !running.ephemeral && { ephemeral: true }),
  ...(given.backupOnExit !== undefined &&
    given.backupOnExit !== running.backupOnExit && { backupOnExit: given.backupOnExit }),
});

/**
 * Sentences on what the last start used and a new one does not.
 * @param given flags and settings of the new start
 */
export const droppedSince = (before: Launch, now: Launch, given: LaunchFlags): readonly string[] => {
  const ofLegacy = (flag: (typeof LEGACY_FLAGS)[number][0]) => (given.legacy === false ? '' : given[flag]);
  const differences: readonly (readonly [string | undefined, string | number | undefined, string | number])[] = [
    [given.port, before.port, now.port],
    [given.bind, before.bind, now.bind],
    [now.ephemeral ? '' : given.dataDir, before.dataDir, now.dataDir],
    [given.dockerHost, before.dockerHost, now.dockerHost ?? 'the engine that it finds'],
    [given.engine, before.engine, now.engine ?? 'docker'],
    [given.registry, before.registry, now.registry ?? 'none'],
    [given.advertiseUrl, before.advertiseUrl, now.advertiseUrl ?? 'the address that it finds'],
    [ofLegacy('legacyPort'), before.legacyPort, now.legacyPort ?? 'none'],
    [ofLegacy('tlsCert'), before.tlsCert, now.tlsCert ?? 'none'],
    [ofLegacy('tlsKey'), before.tlsKey, now.tlsKey ?? 'none'],
    [ofLegacy('legacyJwtPublicKey'), before.legacyJwtPublicKey, now.legacyJwtPublicKey ?? 'none'],
  ];
  const names = ['port', 'bind', 'data-dir', ...TEXT_FLAGS.map(([, flag]) => flag)];
  const noLegacy =
    before.legacy && !now.legacy && given.legacy === undefined
      ? ['the last start used --legacy, this one does not']
      : [];
  const others = differences.flatMap(([asked, was, is], index) =>
    asked !== undefined || was === undefined || was === is
      ? []
      : [`the last start used --${names[index]} ${was}, this one uses ${is}`],
  );
  return [...others, ...noLegacy];
};
