// Reads the options of a start from flags and variables, and checks them. Makes the paths in variables absolute.
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { isOn } from '../settings/is-on.ts';
import { isLoopback, isWildcard, listenAddress } from './listen-address.ts';
import { DEFAULT_PORT, type StartOption, type StartValues, startRows } from './start-options.ts';

/** `--legacy-jwt-public-key TENANT=FILE`. A relative path with `=` in its first part must begin with `./`. */
const PINNED = /^([A-Za-z0-9][\w.-]*)=(.+)$/s;

export const splitGateway = (value: string): { readonly tenant?: string; readonly file: string } => {
  const [, tenant, file = value] = PINNED.exec(value) ?? [];
  return { ...(tenant !== undefined && { tenant }), file };
};

/** The canonical value: a file has its absolute path. @param cwd the folder in which a relative path begins */
export const canonical = (
  value: string,
  { file, form }: Pick<StartOption, 'file' | 'form'>,
  cwd = process.cwd(),
): string => {
  if (file === undefined) return form?.(value) ?? value;
  if (file !== 'gateway') return path.resolve(cwd, value);
  const { tenant, file: key } = splitGateway(value);
  return tenant === undefined ? path.resolve(cwd, key) : `${tenant}=${path.resolve(cwd, key)}`;
};

/** The error for an invalid option value. @param name the flag, variable or setting that has it */
export const valueProblem = (
  name: string,
  value: string,
  { check }: Pick<StartOption, 'check'>,
): string | undefined => {
  if (value.trim() === '') return `${name} cannot be empty`;
  return check === undefined || check.fits(value) ? undefined : `${name} must be ${check.rule}, not "${value}"`;
};

type Env = Readonly<Record<string, string | undefined>>;

/** True if the option that this option requires is off. */
export const isDenied = ({ needs }: StartOption, values: StartValues): boolean =>
  needs !== undefined && values[needs.option] !== undefined && values[needs.option] !== needs.value;

/** An address at which other machines may reach this one. */
const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.internal === false && each.family === 'IPv4')?.address;

/** The error for an address that other machines reach, or that does not say how they reach it. */
const exposureProblem = (values: StartValues): string | undefined => {
  const { bind: typed = '', port = 'auto', insecureBind, publicUrl = 'auto' } = values;
  const bind = listenAddress(typed);
  if (bind === undefined || isLoopback(bind)) return undefined;
  if (!insecureBind)
    return `--bind ${bind} would let other machines reach this daemon over plain http; add --insecure-bind if that is what you want`;
  if (!isWildcard(bind) || publicUrl !== 'auto') return undefined;
  const at = `${ownAddress() ?? 'ADDRESS'}:${port === 'auto' ? DEFAULT_PORT : port}`;
  return `--bind ${bind} listens on all addresses of this machine. Add the URL at which people reach the daemon, for example --public-url http://${at}`;
};

/** The first error in the values. @param named the flag or variable of each value */
const problemOf = (values: StartValues, named: Readonly<Record<string, string>>): string | undefined => {
  for (const [key, row] of startRows) {
    const name = named[key];
    const value = values[key];
    if (name === undefined || value === undefined) continue;
    const problem = typeof value === 'string' ? valueProblem(name, value, row) : undefined;
    if (problem !== undefined) return problem;
    if (row.needs && value !== row.none && values[row.needs.option] !== row.needs.value)
      return `${name} needs ${row.needs.flags}`;
  }
  const exposed = exposureProblem(values);
  if (exposed !== undefined) return exposed;
  const { tlsCert, tlsKey } = values;
  if (!tlsCert !== !tlsKey)
    return `--tls-cert and --tls-key must be given together; ${tlsCert ? '--tls-key' : '--tls-cert'} is missing`;
  return undefined;
};

/**
 * The values of a start: those of flags, then those of variables, with absolute paths. A returned string is an error.
 * A variable counts as absent if a flag switches off the option that it requires.
 */
export const resolveStart = (flags: StartValues, env: Env): StartValues | string => {
  const found = startRows.flatMap(([key, row]) => {
    const flag = flags[key];
    if (flag !== undefined) return [{ key, row, value: flag, name: `--${row.flag}` }];
    const name = row.ofDocker || isDenied(row, flags) ? undefined : row.variable;
    const value = name === undefined ? undefined : env[name];
    if (name === undefined || !value) return [];
    return [{ key, row, value: row.value === undefined ? isOn(value) : value, name }];
  });
  const values: StartValues = Object.fromEntries(found.map(({ key, value }) => [key, value]));
  const problem = problemOf(values, Object.fromEntries(found.map(({ key, name }) => [key, name])));
  if (problem !== undefined) return problem;
  return Object.fromEntries(
    found.flatMap(({ key, row, value }) =>
      value === row.none ? [] : [[key, typeof value === 'string' ? canonical(value, row) : value]],
    ),
  );
};

type Valued = Pick<StartOption, 'file' | 'form' | 'check'>;
const folder: Valued = { file: 'folder' };
const files: readonly (readonly [string, Valued])[] = [
  ['ACTORCTL_HOME', folder],
  ['ACTORCTL_CONFIG_KEY_FILE', folder],
  ...startRows.flatMap(([, row]) => (row.variable === undefined ? [] : [[row.variable, row] as const])),
];

/** The environment with absolute paths of the home and of these files, because the daemon runs in another folder. */
export const withWholePaths = (env: Env, cwd = process.cwd()): Env => {
  const named = files.flatMap(([name, row]) => {
    const value = env[name];
    // An invalid value is refused where it is used.
    return value && valueProblem(name, value, row) === undefined ? [[name, canonical(value, row, cwd)] as const] : [];
  });
  return { ...env, ...Object.fromEntries(named) };
};
