// The launch of a daemon: the options that a restart keeps, and those that the next start reuses.
import * as z from 'zod/mini';
import type { ClockWish } from '../../contract/virtual-clock.ts';
import { CliFailure } from '../../failure.ts';
import { readOwnJson } from '../own-place.ts';
import type { Origins } from '../settings/setting-origins.ts';
import { isDenied } from './resolve-start.ts';
import { type KeptKey, type StartRow, type StartValues, startRows, type TextKey } from './start-options.ts';

type KeptShape = { [K in KeptKey]: z.ZodMiniOptional<K extends TextKey ? z.ZodMiniString : z.ZodMiniBoolean> };

const keptRows = startRows.filter(([, { kept }]) => kept !== undefined) as readonly (readonly [KeptKey, StartRow])[];

/** Schema of the start options of a running daemon. The daemon reports it and stores it in `launch.json`. */
export const launch = z.object({
  ...(Object.fromEntries(
    keptRows.map(([key, { value }]) => [key, value === undefined ? z.optional(z.boolean()) : z.optional(z.string())]),
  ) as KeptShape),
  port: z.int().check(z.gte(1), z.lte(65_535)),
  /** True if any free port was requested. */
  anyPort: z.boolean(),
  bind: z.string(),
  dataDir: z.string(),
  engine: z.string(),
  /** Name of the user service that runs the daemon. */
  service: z.optional(z.string()),
});
export type Launch = z.output<typeof launch>;

/** Flags of a start. Absent: the flag was not given. */
export interface LaunchFlags extends StartValues {
  /** The clock that the instance must have. It is fixed for the instance, so a launch does not store it. */
  readonly clock?: ClockWish | undefined;
}

export const otherClockFailure = (message: string, isVirtual: boolean): CliFailure =>
  new CliFailure('OTHER_CLOCK', message, {
    hint: isVirtual ? 'actorctl clock --help' : 'actorctl up --virtual-clock --port auto --instance OTHER',
  });

/** The stored launch of the last daemon of an instance. Undefined if there is none that this version can read. */
export const readLaunch = async (file: string): Promise<Launch | undefined> => {
  const parsed = launch.safeParse(readOwnJson(file));
  return parsed.success ? parsed.data : undefined;
};

/** Removes undefined values, which would override other values in a spread. */
const present = (values: LaunchFlags): LaunchFlags =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Merges the given flags over the other values. Values that need an option which is now off are removed. */
const replaced = (others: LaunchFlags, given: LaunchFlags, inForce: StartValues = {}): LaunchFlags => {
  const flags = { ...present(others), ...present(given) };
  const denied = startRows.flatMap(([key, row]) =>
    given[key] === undefined && isDenied(row, { ...inForce, ...flags }) ? [key] : [],
  );
  const left = Object.entries(flags).filter(([key]) => !denied.some((each) => each === key));
  return Object.fromEntries(left);
};

/** The port of an earlier launch. If the earlier launch requested any free port, this port is only tried first. */
const portOf = ({ port, anyPort }: Launch): LaunchFlags =>
  anyPort ? { port: 'auto', preferPort: String(port) } : { port: String(port) };

/** Flags that repeat an earlier launch, except for the given flags. */
export const sameLaunch = (before: Launch, given: LaunchFlags): LaunchFlags => {
  const kept: LaunchFlags = Object.fromEntries(keptRows.map(([key, { none }]) => [key, before[key] ?? none]));
  return replaced(
    {
      ...kept,
      ...(given.port === undefined && portOf(before)),
      // A new address needs its own --insecure-bind and --public-url.
      ...(given.bind !== undefined && { insecureBind: undefined, publicUrl: undefined }),
    },
    given,
  );
};

export interface StartSources {
  readonly origins: Origins;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Values from flags, then settings, then the last start. The daemon reads variables itself; its flags override
 * them.
 */
export const nextLaunch = (
  given: LaunchFlags,
  { origins, env }: StartSources,
  before: Launch | undefined,
): LaunchFlags => {
  const found = keptRows.flatMap(([key, { setting, variable, kept }]): readonly (readonly [string, unknown])[] => {
    if (given[key] !== undefined) return [];
    const origin = setting === undefined ? undefined : origins[setting];
    if (origin?.source === 'file')
      return [[key, typeof origin.value === 'number' ? String(origin.value) : origin.value]];
    if (before === undefined || kept !== 'start' || (variable !== undefined && env[variable])) return [];
    return key === 'port' ? Object.entries(portOf(before)) : [[key, before[key]]];
  });
  return replaced(Object.fromEntries(found), given, { engine: String(origins['daemon.engine'].value ?? 'docker') });
};

const clockText = (wish: ClockWish): string => (typeof wish === 'number' ? new Date(wish).toISOString() : wish);

export const launchArguments = (flags: LaunchFlags): readonly string[] => [
  ...startRows.flatMap(([key, { flag, off }]) => {
    const value = flags[key];
    if (typeof value === 'string') return [`--${flag}`, value];
    if (value === true) return [`--${flag}`];
    return value === false && off !== undefined ? [`--${off}`] : [];
  }),
  ...(flags.clock === undefined ? [] : ['--clock', clockText(flags.clock)]),
];

const isInForce = (key: KeptKey, value: string | boolean, { none }: StartRow, running: Launch): boolean => {
  const is = running[key];
  if (typeof value === 'boolean') return value === (is === true);
  if (key === 'port' && value === 'auto') return true;
  return value === none ? is === undefined : value === String(is);
};

export const notInForce = (given: LaunchFlags, running: Launch): LaunchFlags =>
  Object.fromEntries(
    keptRows.flatMap(([key, row]) => {
      const value = given[key];
      // An ephemeral daemon has a folder of its own.
      if (value === undefined || (key === 'dataDir' && given.ephemeral)) return [];
      return isInForce(key, value, row, running) ? [] : [[key, value]];
    }),
  );

/**
 * Notes about options that the last start used and a new start does not, although no flag, setting or variable
 * changes them.
 */
export const droppedSince = (
  before: Launch,
  now: Launch,
  given: LaunchFlags,
  env: StartSources['env'] = {},
): readonly string[] =>
  keptRows.flatMap(([key, row]) => {
    const [was, is] = [before[key], now[key]];
    const isNamed = given[key] !== undefined || (row.variable !== undefined && Boolean(env[row.variable]));
    if (isNamed || was === undefined || was === false || was === is || isDenied(row, given)) return [];
    if (row.off !== undefined) return [`the last start used --${row.flag}, this start does not`];
    // An option without a value gets no note. An ephemeral daemon always has a data folder of its own.
    if (row.value === undefined || (key === 'dataDir' && now.ephemeral)) return [];
    const what = is ?? (row.none === 'auto' ? 'an automatically detected value' : 'none');
    return [`the last start used --${row.flag} ${was}, this start uses ${what}`];
  });
