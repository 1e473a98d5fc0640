// The variables of the shell that name a file or folder of the daemon.
import path from 'node:path';

/** `--legacy-jwt-public-key TENANT=FILE`. A relative path with `=` in its first part begins with `./`. */
const PINNED = /^([A-Za-z0-9][\w.-]*)=(.+)$/s;

/** The parts of `--legacy-jwt-public-key`. */
export const splitGateway = (value: string): { readonly tenant?: string; readonly file: string } => {
  const [, tenant, file = value] = PINNED.exec(value) ?? [];
  return { ...(tenant !== undefined && { tenant }), file };
};

/** The value of `--legacy-jwt-public-key` with an absolute path. */
export const wholeGateway = (value: string, cwd = process.cwd()): string => {
  const { tenant, file } = splitGateway(value);
  const whole = path.resolve(cwd, file);
  return tenant === undefined ? whole : `${tenant}=${whole}`;
};

const GATEWAY = 'ACTORCTL_LEGACY_JWT_PUBLIC_KEY';

/** Variables that name a file which the daemon reads. */
export const FILE_VARIABLES: readonly string[] = [
  'ACTORCTL_CONFIG_KEY_FILE',
  'ACTORCTL_TLS_CERT',
  'ACTORCTL_TLS_KEY',
  GATEWAY,
];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment with absolute paths of the home and of these files, because the daemon runs in another folder.
 * @param cwd the folder in which relative paths begin
 */
export const withWholePaths = (env: Env, cwd = process.cwd()): Env => {
  const named = ['ACTORCTL_HOME', ...FILE_VARIABLES].flatMap((name) => {
    const value = env[name];
    if (!value) return [];
    return [[name, name === GATEWAY ? wholeGateway(value, cwd) : path.resolve(cwd, value)] as const];
  });
  return { ...env, ...Object.fromEntries(named) };
};
